// PNG, JPEG, BMP and PNM files through the stb single-file libraries (public domain).
#include <numjit/image.h>

#include <cstring>

#include <surface.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#include <stb/stb_image.h>
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace numjit {

array imread(const std::string& path, int channels) {
  if (channels != 1 && channels != 3 && channels != 4)
    throw ValueError("imread", "the number of channels is wrong: got " + std::to_string(channels) + ", expected 1, 3 or 4.");
  int width = 0, height = 0, in_file = 0;
  unsigned char* pixels = stbi_load(path.c_str(), &width, &height, &in_file, channels);
  if (!pixels) throw OSError("imread", "the image can't be read: '" + path + "': " + stbi_failure_reason() + ".");
  dims shape{height, width};
  if (channels > 1) shape.push_back(channels);
  array image = detail::fresh(dtype_id::uint8, shape);
  std::memcpy(image.get()->data, pixels, static_cast<std::size_t>(image.nbytes()));
  stbi_image_free(pixels);
  return image;
}

void imsave(const std::string& path, const array& image) {
  const int rank = image.ndim();
  const std::int64_t channels = rank == 3 ? image.shape(2) : 1;
  if ((rank != 2 && rank != 3) || channels > 4 || channels < 1 || image.size() == 0)
    throw ValueError("imsave", "the shape is no image's: got " + image.shape().str() +
                                   ", expected (height, width) or (height, width, 1 to 4).");
  array bytes = image;
  if (image.dtype().kind() == 'f')
    bytes = rint(clip(image, 0.0, 255.0)).astype(uint8);
  else if (image.dtype() == bool_)
    bytes = image.astype(uint8) * 255;
  else if (image.dtype() != uint8)
    throw TypeError("imsave", "the dtype is no image's: got " + std::string(image.dtype().name()) +
                                  ", expected uint8, bool or a float dtype (0 to 255).");
  bytes = detail::readable(bytes, "imsave");
  const int w = static_cast<int>(image.shape(1)), h = static_cast<int>(image.shape(0));
  const int n = static_cast<int>(channels);
  const void* data = bytes.get()->data;
  auto ends_with = [&](const char* suffix) {
    const std::size_t length = std::strlen(suffix);
    return path.size() >= length && path.compare(path.size() - length, length, suffix) == 0;
  };
  int done = 0;
  if (ends_with(".png"))
    done = stbi_write_png(path.c_str(), w, h, n, data, w * n);
  else if (ends_with(".jpg") || ends_with(".jpeg"))
    done = stbi_write_jpg(path.c_str(), w, h, n, data, 92);
  else if (ends_with(".bmp"))
    done = stbi_write_bmp(path.c_str(), w, h, n, data);
  else
    throw ValueError("imsave",
                     "the kind of file is not known: got '" + path + "', expected a name ending in .png, .jpg or .bmp.");
  if (!done) throw OSError("imsave", "the image can't be written: '" + path + "'.");
}

}  // namespace numjit
