// PNG, JPEG, BMP and PNM files through the stb single-file libraries (public domain).
#include <numjit/image.h>

#include <algorithm>
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

namespace {

/// What an image file holds, byte by byte.
struct Pixels {
  array bytes;
  int width = 0, height = 0, channels = 1;

  Pixels(const char* function, const array& image) : bytes(image) {
    const int rank = image.ndim();
    const std::int64_t count = rank == 3 ? image.shape(2) : 1;
    if ((rank != 2 && rank != 3) || count > 4 || count < 1 || image.size() == 0)
      throw ValueError(function, "the shape is no image's: got " + image.shape().str() +
                                     ", expected (height, width) or (height, width, 1 to 4).");
    if (image.dtype().kind() == 'f')
      bytes = rint(clip(image, 0.0, 255.0)).astype(uint8);
    else if (image.dtype() == bool_)
      bytes = image.astype(uint8) * 255;
    else if (image.dtype() != uint8)
      throw TypeError(function, "the dtype is no image's: got " + std::string(image.dtype().name()) +
                                    ", expected uint8, bool or a float dtype (0 to 255).");
    bytes = detail::readable(bytes, function);
    width = static_cast<int>(image.shape(1));
    height = static_cast<int>(image.shape(0));
    channels = static_cast<int>(count);
  }

  const void* data() const { return bytes.get()->data; }
};

}  // namespace

void imsave(const std::string& path, const array& image) {
  const Pixels p("imsave", image);
  auto ends_with = [&](const char* suffix) {
    const std::size_t length = std::strlen(suffix);
    return path.size() >= length && path.compare(path.size() - length, length, suffix) == 0;
  };
  int done = 0;
  if (ends_with(".png"))
    done = stbi_write_png(path.c_str(), p.width, p.height, p.channels, p.data(), p.width * p.channels);
  else if (ends_with(".jpg") || ends_with(".jpeg"))
    done = stbi_write_jpg(path.c_str(), p.width, p.height, p.channels, p.data(), 92);
  else if (ends_with(".bmp"))
    done = stbi_write_bmp(path.c_str(), p.width, p.height, p.channels, p.data());
  else
    throw ValueError("imsave",
                     "the kind of file is not known: got '" + path + "', expected a name ending in .png, .jpg or .bmp.");
  if (!done) throw OSError("imsave", "the image can't be written: '" + path + "'.");
}

std::string png(const array& image) {
  const Pixels p("png", image);
  std::string file;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  stbi_write_png_to_func(append, &file, p.width, p.height, p.channels, p.data(), p.width * p.channels);
  return file;
}

array picture(const array& a) {
  const int rank = a.ndim();
  const bool is_image = rank == 3 && a.shape(2) >= 1 && a.shape(2) <= 4;
  if ((rank < 1 || rank > 2) && !(is_image && a.dtype() == uint8))
    throw ValueError("show", "there is no picture of such an array: got " + std::string(a.dtype().name()) + " of shape " +
                                 a.shape().str() + ", expected one or two axes, or uint8 of shape (height, width, 1 to 4).");
  if (a.size() == 0)
    throw ValueError("show", "there is no picture of an empty array: got shape " + a.shape().str() + ", expected elements.");
  array made = a;
  if (a.dtype() != uint8) {
    const array x = (a.dtype().kind() == 'c' ? absolute(a) : a).astype(float64);
    const array finite = where(isfinite(x), x, nan);
    const array seen = finite(isfinite(finite));
    const double low = seen.size() > 0 ? min(seen).item<double>() : 0, high = seen.size() > 0 ? max(seen).item<double>() : 0;
    made = nan_to_num((clip(x, low, high) - low) * (high > low ? 255 / (high - low) : 0.0));
    made = rint(made).astype(uint8);
  }
  if (rank == 1) made = made.reshape(1, made.size());
  const std::int64_t times = 240 / std::max(made.shape(0), made.shape(1));
  return times < 2 ? made : repeat(repeat(made, times, {.axis = 0}), times, {.axis = 1});
}

void show(const array& a, const std::string& path) { imsave(path, picture(a)); }

}  // namespace numjit
