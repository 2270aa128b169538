// What page_kernels.cpp asks of its host, for programs that Emscripten makes the JavaScript of.
mergeInto(LibraryManager.library, {
  $njFreePlaces: [],
  nj_add_kernel__deps: ['$njFreePlaces'],
  nj_add_kernel: function (address, size) {
    try {
      var module = new WebAssembly.Module(HEAPU8.subarray(address, address + size));
      var instance = new WebAssembly.Instance(module, { env: { memory: wasmMemory } });
      var place = njFreePlaces.length ? njFreePlaces.pop() : wasmTable.grow(1);
      wasmTable.set(place, instance.exports.run);
      return place;
    } catch (error) {
      err('numjit: ' + error);
      return 0;
    }
  },
  nj_drop_kernel__deps: ['$njFreePlaces'],
  nj_drop_kernel: function (place) {
    wasmTable.set(place, null);
    njFreePlaces.push(place);
  },
});
