// Instructions on vectors of 128 bits, by their codes after 0xfd.
#pragma once

namespace numjit::wasm_gen::simd {

enum : unsigned {
  load = 0, load8_splat = 7, load16_splat = 8, load32_splat = 9, load64_splat = 10, store = 11, const_ = 12, shuffle = 13,
  i8x16_splat = 15, i16x8_splat = 16, i32x4_splat = 17, i64x2_splat = 18, f32x4_splat = 19, f64x2_splat = 20,
  i8x16_extract_s = 21, i8x16_extract_u = 22, i8x16_replace = 23, i16x8_extract_s = 24, i16x8_extract_u = 25,
  i16x8_replace = 26, i32x4_extract = 27, i32x4_replace = 28, i64x2_extract = 29, i64x2_replace = 30,
  f32x4_extract = 31, f32x4_replace = 32, f64x2_extract = 33, f64x2_replace = 34,
  i8x16_eq = 35, i8x16_ne = 36, i8x16_lt_s = 37, i8x16_lt_u = 38, i8x16_le_s = 41, i8x16_le_u = 42,
  i16x8_eq = 45, i16x8_ne = 46, i16x8_lt_s = 47, i16x8_lt_u = 48, i16x8_le_s = 51, i16x8_le_u = 52,
  i32x4_eq = 55, i32x4_ne = 56, i32x4_lt_s = 57, i32x4_lt_u = 58, i32x4_le_s = 61, i32x4_le_u = 62,
  f32x4_eq = 65, f32x4_ne = 66, f32x4_lt = 67, f32x4_le = 69, f64x2_eq = 71, f64x2_ne = 72, f64x2_lt = 73, f64x2_le = 75,
  not_ = 77, and_ = 78, or_ = 80, xor_ = 81, bitselect = 82, any_true = 83,
  load8_lane = 84, load16_lane = 85, load32_lane = 86, load64_lane = 87,
  store8_lane = 88, store16_lane = 89, store32_lane = 90, store64_lane = 91, load32_zero = 92, load64_zero = 93,
  f32x4_demote_f64x2_zero = 94, f64x2_promote_low_f32x4 = 95, i8x16_popcnt = 98,
  f32x4_ceil = 103, f32x4_floor = 104, f32x4_trunc = 105, f32x4_nearest = 106,
  i8x16_shl = 107, i8x16_shr_s = 108, i8x16_shr_u = 109, i8x16_add = 110, i8x16_sub = 113,
  f64x2_ceil = 116, f64x2_floor = 117, f64x2_trunc = 122,
  i16x8_extadd_pairwise_i8x16_u = 125, i32x4_extadd_pairwise_i16x8_u = 127,
  i16x8_extend_low_i8x16_s = 135, i16x8_shl = 139, i16x8_shr_s = 140, i16x8_shr_u = 141, i16x8_add = 142, i16x8_sub = 145,
  f64x2_nearest = 148, i16x8_mul = 149,
  i32x4_extend_low_i16x8_s = 167, i32x4_shl = 171, i32x4_shr_s = 172, i32x4_shr_u = 173, i32x4_add = 174, i32x4_sub = 177,
  i32x4_mul = 181,
  i64x2_extend_low_i32x4_s = 199, i64x2_shl = 203, i64x2_shr_s = 204, i64x2_shr_u = 205, i64x2_add = 206, i64x2_sub = 209,
  i64x2_mul = 213, i64x2_eq = 214, i64x2_ne = 215, i64x2_lt_s = 216, i64x2_le_s = 218,
  f32x4_sqrt = 227, f32x4_add = 228, f32x4_sub = 229, f32x4_mul = 230, f32x4_div = 231,
  f32x4_pmin = 234, f32x4_pmax = 235,
  f64x2_sqrt = 239, f64x2_add = 240, f64x2_sub = 241, f64x2_mul = 242, f64x2_div = 243,
  f64x2_pmin = 246, f64x2_pmax = 247,
  i32x4_trunc_sat_f32x4_s = 248, i32x4_trunc_sat_f32x4_u = 249, f32x4_convert_i32x4_s = 250, f32x4_convert_i32x4_u = 251,
  i32x4_trunc_sat_f64x2_s_zero = 252, i32x4_trunc_sat_f64x2_u_zero = 253, f64x2_convert_low_i32x4_s = 254,
  f64x2_convert_low_i32x4_u = 255,
  f32x4_relaxed_madd = 0x105, f64x2_relaxed_madd = 0x107,  // relaxed SIMD, which not all engines have
};

}  // namespace numjit::wasm_gen::simd
