// Cutting a product, computing the parts, and putting them together.
#include <numjit/eager/split_product.h>

#include <algorithm>
#include <vector>

#include <numjit/eager/internal.h>

namespace numjit::eager {
namespace {

/// Products in a part of a sum, and of all its elements: less is done by one thread before another one wakes.
constexpr std::int64_t least_depth = 1024;
constexpr double least_part_work = 1 << 15;
constexpr std::int64_t most_parts = 8;
/// So many blocks keep threads busy without cutting sums.
constexpr std::int64_t enough_blocks = 4;

/// Block (row, column) of a result that is cut into squares, or the only one.
struct Block {
  std::int64_t row, column;
};

class SplitProduct {
 public:
  SplitProduct(dtype_id type, const matrix& a, const matrix& b, const matrix& c) : type_(type), a_(a), b_(b), c_(c) {}

  /// Decides how to cut. False: not at all.
  bool plan() {
    const double work = work_of(c_.rows, c_.columns, a_.columns);
    is_vector_ = c_.columns == 1;
    is_square_ =
        !is_vector_ && a_.rows > 1 && a_.data == b_.data && a_.rows == b_.columns && a_.row == b_.column && a_.column == b_.row;
    if (!is_square_ && work <= serial_work / (is_vector_ ? 2 : 1)) return false;
    if (!as_blas(a_, item_, ta_) || !(is_vector_ ? as_blas_vector(b_, item_, step_) : as_blas(b_, item_, tb_))) return false;
    size_ = is_square_ ? std::clamp<std::int64_t>((c_.rows / 4 + 15) / 16 * 16, 128, 512) : std::max(c_.rows, c_.columns);
    const std::int64_t across = (c_.columns + size_ - 1) / size_;
    for (std::int64_t row = 0; row * size_ < c_.rows; ++row)
      for (std::int64_t column = 0; column < across && (!is_square_ || column <= row); ++column) blocks_.push_back({row, column});
    const bool is_small = c_.rows * c_.columns <= 256 * 256;
    if (is_small && static_cast<std::int64_t>(blocks_.size()) < enough_blocks)
      parts_ = std::clamp<std::int64_t>(std::min(a_.columns / least_depth, static_cast<std::int64_t>(work / least_part_work)), 1,
                                        most_parts);
    return is_square_ || parts_ > 1;
  }

  void run() {
    const std::int64_t count = static_cast<std::int64_t>(blocks_.size()) * parts_, part_bytes = c_.rows * c_.columns * item_;
    const double ns = 0.02 * work_of(c_.rows, c_.columns, a_.columns) * (is_vector_ ? 8 : 1);
    scratch memory(parts_ > 1 ? parts_ * part_bytes : 1);
    {
      const SerialBlas serial;
      numjit::detail::parallel_plain_ranges(count, 1, ns, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t part = i % parts_;
          compute(blocks_[static_cast<std::size_t>(i / parts_)], part, parts_ > 1 ? memory.data() + part * part_bytes : c_.data);
        }
      });
    }
    const bool is_double = type_ == dtype_id::float64 || type_ == dtype_id::complex128;
    if (parts_ > 1) is_double ? add_parts(memory.as<double>()) : add_parts(memory.as<float>());
    if (!is_square_) return;
    visit_dtype(type_, [&]<class T>() { mirror<T>(); });
  }

 private:
  /// A block's part of all its sums; `to` is where the result, or this part of it, begins.
  void compute(const Block& block, std::int64_t part, char* to) const {
    const std::int64_t first = a_.columns * part / parts_, last = a_.columns * (part + 1) / parts_;
    const std::int64_t row = block.row * size_, column = block.column * size_;
    matrix a = a_, b = b_, c{to, 0, 0, c_.columns * item_, item_};
    a.rows = c.rows = std::min(size_, a_.rows - row);
    b.columns = c.columns = std::min(size_, b_.columns - column);
    a.columns = b.rows = last - first;
    a.data += row * a.row + first * a.column;
    b.data += column * b.column + first * b.row;
    c.data += row * c.row + column * item_;
    const auto ldc = static_cast<blasint>(c_.columns);
    if (is_vector_) return gemv(type_, ta_, a, b.data, step_, c.data);
    if (is_square_ && row == column) return syrk(type_, ta_, a, c, ldc);
    gemm(type_, ta_, a, tb_, b, c, ldc);
  }

  /// Real and imaginary parts of complex sums by themselves.
  template <class Real>
  void add_parts(const Real* parts) const {
    Real* sum = reinterpret_cast<Real*>(c_.data);
    const std::int64_t width = item_ / static_cast<std::int64_t>(sizeof(Real)), size = c_.rows * c_.columns * width;
    for (std::int64_t r = 0; r < c_.rows; ++r) {
      const std::int64_t from = r * c_.columns * width, to = from + (is_square_ ? r + 1 : c_.columns) * width;
      for (std::int64_t i = from; i < to; ++i) {
        Real all = parts[i];
        for (std::int64_t part = 1; part < parts_; ++part) all += parts[part * size + i];
        sum[i] = all;
      }
    }
  }

  /// Copies what is below the diagonal above it, square by square.
  template <class T>
  void mirror() const {
    constexpr std::int64_t tile = 32;
    const std::int64_t n = c_.rows;
    T* data = reinterpret_cast<T*>(c_.data);
    numjit::detail::parallel_ranges((n + tile - 1) / tile, 1, static_cast<double>(n) * static_cast<double>(n),
                                    [&](std::int64_t begin, std::int64_t end) {
                                      for (std::int64_t above = begin * tile; above < std::min(end * tile, n); above += tile)
                                        for (std::int64_t left = above; left < n; left += tile)
                                          for (std::int64_t r = above; r < std::min(above + tile, n); ++r)
                                            for (std::int64_t j = std::max(left, r + 1); j < std::min(left + tile, n); ++j)
                                              data[r * n + j] = data[j * n + r];
                                    });
  }

  dtype_id type_;
  const matrix &a_, &b_, &c_;
  const std::int64_t item_ = size_of(type_);
  blas_matrix ta_{}, tb_{};
  blasint step_ = 1;                // of a vector
  bool is_square_ = false;          // b is a's transpose
  bool is_vector_ = false;
  std::int64_t size_ = 0;           // rows and columns of a block
  std::int64_t parts_ = 1;          // of each sum
  std::vector<Block> blocks_;
};

}  // namespace

bool split_product(dtype_id type, const matrix& a, const matrix& b, const matrix& c) {
  if (c.rows == 1 && c.columns > 1) {
    const matrix left = transposed(b), right = transposed(a), turned = transposed(c);
    const matrix column{turned.data, turned.rows, 1, turned.row, turned.row};
    SplitProduct product(type, left, right, column);
    return product.plan() && (product.run(), true);
  }
  SplitProduct product(type, a, b, c);
  return product.plan() && (product.run(), true);
}

}  // namespace numjit::eager
