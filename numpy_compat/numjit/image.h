// Images for examples: PNG and JPEG files as uint8 arrays.
#pragma once

#include <string>

#include <numjit/array/array.h>

namespace numjit {

/// Reads a PNG, JPEG, BMP or PNM file: uint8, shape (height, width, 3), or (height, width) for
/// `channels` = 1. OSError if it can't be read.
array imread(const std::string& path, int channels = 3);
/// Writes uint8 (h, w), (h, w, 3) or (h, w, 4) to a .png, .jpg or .bmp file; floats are taken as
/// 0..255 and clipped. ValueError for other shapes, OSError if the file can't be written.
void imsave(const std::string& path, const array& image);

}  // namespace numjit
