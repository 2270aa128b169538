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
/// The bytes of a PNG file of what imsave takes, with its errors.
std::string png(const array& image);
/// A picture of an array: uint8 of the shape of an image as it is; other numbers of one or two axes grey, from the least to the
/// largest that is finite (complex ones by their absolute values, not-a-number black), small ones enlarged. ValueError for
/// others.
array picture(const array& a);
/// Writes the picture of an array to a .png, .jpg or .bmp file, to be looked at.
///   np::show(np::sin(np::linspace(0, 6, 100)) * np::ones({50, 1}), "waves.png");
void show(const array& a, const std::string& path);

}  // namespace numjit
