// What page_kernels.cpp and pack_loading.cpp ask of their host, for programs that Emscripten makes the JavaScript of.
mergeInto(LibraryManager.library, {
  $njFreePlaces: [],
  $njScratch: {},
  nj_add_kernel__deps: ['$njFreePlaces', '$njScratch'],
  nj_add_kernel: function (address, size, scratch) {
    try {
      var module = new WebAssembly.Module(HEAPU8.subarray(address, address + size));
      njScratch.start = njScratch.start || new WebAssembly.Global({ value: 'i32', mutable: false }, scratch);
      var instance = new WebAssembly.Instance(module, { env: { memory: wasmMemory, scratch: njScratch.start } });
      var place = njFreePlaces.length ? njFreePlaces.pop() : wasmTable.grow(1);
      wasmTable.set(place, instance.exports.run);
      return place;
    } catch (error) {
      err('numjit: ' + error);
      return 0;
    }
  },
  nj_validate: function (address, size) { return WebAssembly.validate(HEAPU8.slice(address, address + size)) ? 1 : 0; },
  nj_drop_kernel__deps: ['$njFreePlaces'],
  nj_drop_kernel: function (place) {
    wasmTable.set(place, null);
    njFreePlaces.push(place);
  },
  $njPacks: [],
  $njPackStack: {},
  nj_open_pack__deps: ['$njPacks', '$njPackStack'],
  nj_open_pack: function (bytes, size, memory, table, stackTop, hooks) {
    try {
      var module = new WebAssembly.Module(HEAPU8.slice(bytes, bytes + size));
      var constant = function (value) { return new WebAssembly.Global({ value: 'i32', mutable: false }, value); };
      var hook = function (i) { return wasmTable.get(HEAPU32[(hooks >> 2) + i]); };
      njPackStack.top = njPackStack.top || new WebAssembly.Global({ value: 'i32', mutable: true }, stackTop);
      var instance = new WebAssembly.Instance(module, { env: {
        memory: wasmMemory, __indirect_function_table: wasmTable, __stack_pointer: njPackStack.top,
        __memory_base: constant(memory), __table_base: constant(table ? wasmTable.grow(table) : 0),
        halide_malloc: hook(0), halide_free: hook(1), halide_error_out_of_memory: hook(2),
        memcpy: function (to, from, count) { HEAPU8.copyWithin(to, from, from + count); return to; },
        memmove: function (to, from, count) { HEAPU8.copyWithin(to, from, from + count); return to; },
        memset: function (to, value, count) { HEAPU8.fill(value, to, to + count); return to; },
      } });
      if (instance.exports.__wasm_apply_data_relocs) instance.exports.__wasm_apply_data_relocs();
      if (instance.exports.__wasm_call_ctors) instance.exports.__wasm_call_ctors();
      return njPacks.push(instance.exports);
    } catch (error) {
      err('numjit: ' + error);
      return 0;
    }
  },
  nj_pack_entry__deps: ['$njPacks'],
  nj_pack_entry: function (pack, name) {
    var entry = njPacks[pack - 1][UTF8ToString(name)];
    if (typeof entry !== 'function') return 0;
    var place = wasmTable.grow(1);
    wasmTable.set(place, entry);
    return place;
  },
  nj_put_kernel: function (to, from) { wasmTable.set(to, wasmTable.get(from)); },
});
