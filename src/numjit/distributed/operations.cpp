// Operations between ranks. Sums have the order of additions of one process (docs/numerics.md).
#include <numjit/distributed/operations.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include <numjit/base/error.h>
#include <numjit/base/thread_pool.h>
#include <numjit/distributed/transfers.h>
#include <numjit/eager/internal.h>

namespace numjit::distributed {
namespace {

using eager::chunk_size;
using eager::lane_count;
using eager::reduce_kernels;
using eager::scratch;
using kind = layout::communication;

constexpr std::int64_t butterfly_bytes = Packet::room;  // more is cut among the ranks
constexpr int most_of_butterfly = 64;                   // ranks whose sums it adds in the canonical order
constexpr std::int64_t block_bytes = 1 << 22;           // that a rank joins at once
constexpr std::int64_t tree_bytes = 1 << 16;            // of a broadcast; more goes in parts

/// Of bytes along the first axis.
struct Rows {
  explicit Rows(const node* n) : count(n->rank == 0 ? 1 : n->shape[0]), width(1) {
    for (int a = 1; a < n->rank; ++a) width *= n->shape[a];
    item = eager::size_of(n->type);
  }
  std::int64_t count, width, item;  // rows, elements of one, bytes of an element
  std::int64_t row_bytes() const { return width * item; }
  std::int64_t bytes() const { return count * row_bytes(); }
};

void copy_bytes(char* to, const char* from, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

/// The rows of a stack joined in the canonical order; `rows` of `width` elements, which are overwritten where there are many.
void join_rows(const reduce_kernels& k, std::int64_t item, char* data, std::int64_t rows, std::int64_t width, char* out) {
  const std::int64_t row = width * item;
  const auto join = [&](const char* in, std::int64_t n, char* to) {
    if (width == 1)
      k.rows({in, item, n * item, n, 1}, to);
    else
      k.panel({in, row, item, n, width}, to);
  };
  while (rows > chunk_size) {
    const std::int64_t chunks = (rows + chunk_size - 1) / chunk_size;
    scratch joined(row);
    for (std::int64_t c = 0; c < chunks; ++c) {
      join(data + c * chunk_size * row, std::min(chunk_size, rows - c * chunk_size), joined.data());
      copy_bytes(data + c * row, joined.data(), row);
    }
    rows = chunks;
  }
  join(data, rows, out);
}

class Operation {
 public:
  Operation(Group& group, const kind& words, const node* in, node* result, bool program_waits)
      : words_(words),
        in_(in),
        out_(result),
        from_(in->data),
        to_(result->data),
        rank_(group.rank()),
        size_(group.size()),
        messages_(group, heading_of(words, dims(in->shape, in->rank)), program_waits) {}

  void run() {
    switch (words_.is) {
      case kind::all_reduce: return all_reduce();
      case kind::all_gather: return all_gather();
      case kind::reduce_scatter: return reduce_scatter();
      case kind::broadcast: return broadcast();
      case kind::all_to_all: return all_to_all();
      case kind::permute: return permute();
      case kind::halo: return halo();
      case kind::fold_halo: return fold_halo();
      case kind::sum: return sum();
      case kind::barrier: return barrier();
    }
  }

 private:
  void wait() { messages_.wait(); }
  std::int64_t begin_of(std::int64_t n, int rank) const { return begin_of_part(n, rank, size_); }
  template <class F>
  void each_other(F&& fn) {  // beginning behind this rank, so that not all begin at the same one
    for (int k = 1; k < size_; ++k) fn((rank_ + k) % size_);
  }

  // ---- all_reduce ----

  void all_reduce() {
    const auto op = static_cast<op_id>(words_.given_first);
    const reduce_kernels& k = eager::accumulator_kernels(op, in_->type);
    const std::int64_t item = eager::size_of(in_->type), n = in_->size, bytes = n * item;
    if (size_ == 1) return copy_bytes(to_, from_, bytes);
    if (bytes <= butterfly_bytes) {
      const bool in_pairs = std::has_single_bit(static_cast<unsigned>(size_)) && size_ <= most_of_butterfly;
      return in_pairs ? butterfly(k, n, bytes) : all_join_all(k, item, n);
    }
    join_slices(k, item, n, 1, to_);
    gather(to_ + begin_of(n, rank_) * item, to_, n, item);
  }

  // The lower rank's elements come first, as in the canonical order's halves.
  void butterfly(const reduce_kernels& k, std::int64_t n, std::int64_t bytes) {
    alignas(64) char memory[2][butterfly_bytes];
    char *mine = memory[0], *theirs = memory[1];
    copy_bytes(mine, from_, bytes);
    for (int distance = size_ / 2; distance > 0; distance /= 2) {
      const int other = rank_ ^ distance;
      messages_.swap(other, mine, theirs, bytes);
      if (rank_ < other) {
        k.combine(theirs, mine, n);
      } else {
        k.combine(mine, theirs, n);
        std::swap(mine, theirs);
      }
    }
    copy_bytes(to_, mine, bytes);
  }

  // Every rank joins the elements of all.
  void all_join_all(const reduce_kernels& k, std::int64_t item, std::int64_t n) {
    scratch stack(size_ * n * item);
    each_other([&](int other) {
      messages_.send(other, from_, n * item);
      messages_.receive(other, stack.data() + other * n * item, n * item);
    });
    copy_bytes(stack.data() + rank_ * n * item, from_, n * item);
    wait();
    join_rows(k, item, stack.data(), size_, n, to_);
  }

  // This rank joins its slice of `n` rows of all; the result goes to its place in `out`, or to the beginning of it.
  void join_slices(const reduce_kernels& k, std::int64_t item, std::int64_t n, std::int64_t width, char* out) {
    const std::int64_t row = width * item, most = std::max<std::int64_t>(1, block_bytes / row);
    std::int64_t longest = 0;
    for (int r = 0; r < size_; ++r) longest = std::max(longest, begin_of(n, r + 1) - begin_of(n, r));
    scratch stack(size_ * std::min(most, longest) * row);
    for (std::int64_t at = 0; at < longest; at += most) {
      const auto begin = [&](int r) { return std::min(begin_of(n, r) + at, begin_of(n, r + 1)); };
      const auto rows = [&](int r) { return std::min(begin(r) + most, begin_of(n, r + 1)) - begin(r); };
      const std::int64_t own = rows(rank_);
      each_other([&](int other) {
        messages_.send(other, from_ + begin(other) * row, rows(other) * row);
        messages_.receive(other, stack.data() + other * own * row, own * row);
      });
      copy_bytes(stack.data() + rank_ * own * row, from_ + begin(rank_) * row, own * row);
      wait();
      if (own > 0) join_rows(k, item, stack.data(), size_, own * width, out + begin(rank_) * row);
    }
  }

  void barrier() {
    const reduce_kernels& k = eager::accumulator_kernels(op_id::sum, in_->type);
    const std::int64_t item = eager::size_of(in_->type);
    if (size_ > 1) std::has_single_bit(static_cast<unsigned>(size_)) ? butterfly(k, 1, item) : all_join_all(k, item, 1);
  }

  // ---- parts ----

  // The parts of `n` rows of all ranks, put together in `to`; this rank's may be there already.
  void gather(const char* own, char* to, std::int64_t n, std::int64_t row) {
    const std::int64_t begin = begin_of(n, rank_) * row, bytes = (begin_of(n, rank_ + 1)) * row - begin;
    each_other([&](int other) {
      messages_.send(other, own, bytes);
      messages_.receive(other, to + begin_of(n, other) * row, (begin_of(n, other + 1) - begin_of(n, other)) * row);
    });
    if (own != to + begin) copy_bytes(to + begin, own, bytes);
    wait();
  }

  void all_gather() {
    const Rows rows(out_);
    gather(from_, to_, rows.count, rows.row_bytes());
  }

  void reduce_scatter() {
    const Rows rows(in_);
    const reduce_kernels& k = eager::accumulator_kernels(op_id::sum, in_->type);
    if (rows.bytes() == 0) return;
    join_slices(k, rows.item, rows.count, rows.width, to_ - begin_of(rows.count, rank_) * rows.row_bytes());
  }

  // ---- from one to others ----

  void broadcast() {
    const std::int64_t item = eager::size_of(in_->type), bytes = in_->size * item;
    const int root = static_cast<int>(words_.given_first), place = (rank_ - root + size_) % size_;
    if (place == 0) copy_bytes(to_, from_, bytes);
    const auto rank_at = [&](int p) { return (p + root) % size_; };
    if (bytes > tree_bytes) {  // each rank gets a part, and all get all parts
      const auto begin = [&](int r) { return begin_of(in_->size, r) * item; };
      if (place == 0)
        each_other([&](int other) { messages_.send(other, to_ + begin(other), begin(other + 1) - begin(other)); });
      else
        messages_.receive(root, to_ + begin(rank_), begin(rank_ + 1) - begin(rank_));
      wait();
      return gather(to_ + begin(rank_), to_, in_->size, item);
    }
    int distance = 1;  // from whom this one hears, and from there on whom it tells
    while (distance < size_ && !(place & distance)) distance *= 2;
    if (place > 0) {
      messages_.receive(rank_at(place - distance), to_, bytes);
      wait();
    }
    for (distance /= 2; distance > 0; distance /= 2)
      if (place + distance < size_) messages_.send(rank_at(place + distance), to_, bytes);
    wait();
  }

  void all_to_all() {
    const std::int64_t block = Rows(in_).bytes() / size_;
    each_other([&](int other) {
      messages_.send(other, from_ + other * block, block);
      messages_.receive(other, to_ + other * block, block);
    });
    copy_bytes(to_ + rank_ * block, from_ + rank_ * block, block);
    wait();
  }

  void permute() {
    const std::int64_t bytes = in_->size * eager::size_of(in_->type);
    const int from = static_cast<int>(words_.given_first), to = static_cast<int>(words_.given_second);
    if (from < 0) std::memset(to_, 0, static_cast<std::size_t>(bytes));
    if (from == rank_) copy_bytes(to_, from_, bytes);
    if (to >= 0 && to != rank_) messages_.send(to, from_, bytes);
    if (from >= 0 && from != rank_) messages_.receive(from, to_, bytes);
    wait();
  }

  // ---- halos ----

  // The neighbours; -1: none.
  int lower() const { return rank_ > 0 ? rank_ - 1 : words_.given_second ? size_ - 1 : -1; }
  int upper() const { return rank_ + 1 < size_ ? rank_ + 1 : words_.given_second ? 0 : -1; }

  // Two ranks that are neighbours on both sides hear first what was first sent.
  void exchange(const char* to_lower, const char* to_upper, char* from_lower, char* from_upper, std::int64_t bytes) {
    const auto is_other = [&](int rank) { return rank >= 0 && rank != rank_; };
    if (is_other(lower())) messages_.send(lower(), to_lower, bytes);
    if (is_other(upper())) messages_.send(upper(), to_upper, bytes);
    if (is_other(upper())) messages_.receive(upper(), from_upper, bytes);
    if (is_other(lower())) messages_.receive(lower(), from_lower, bytes);
    if (lower() == rank_) copy_bytes(from_lower, to_upper, bytes);
    if (upper() == rank_) copy_bytes(from_upper, to_lower, bytes);
  }

  void halo() {
    const Rows rows(in_);
    const std::int64_t halo = words_.given_first * rows.row_bytes(), all = rows.bytes();
    if (lower() < 0) std::memset(to_, 0, static_cast<std::size_t>(halo));
    if (upper() < 0) std::memset(to_ + halo + all, 0, static_cast<std::size_t>(halo));
    exchange(from_, from_ + all - halo, to_, to_ + halo + all, halo);
    copy_bytes(to_ + halo, from_, all);
    wait();
  }

  // What came of a halo goes to whom it was copied from.
  void fold_halo() {
    const Rows rows(out_);
    const std::int64_t halo = words_.given_first * rows.row_bytes(), all = rows.bytes();
    const reduce_kernels& k = eager::accumulator_kernels(op_id::sum, in_->type);
    scratch lower_part(halo), upper_part(halo);
    exchange(from_, from_ + halo + all, lower_part.data(), upper_part.data(), halo);
    copy_bytes(to_, from_ + halo, all);
    wait();
    const std::int64_t n = halo / rows.item;
    if (lower() >= 0) k.combine(lower_part.data(), to_, n);
    if (upper() >= 0) k.combine(upper_part.data(), to_ + all - halo, n);
  }

  // ---- sums over parted rows ----

  void sum() {
    const Rows rows(in_);
    const reduce_kernels& k = eager::accumulator_kernels(op_id::sum, in_->type);
    std::vector<std::int64_t> begins(static_cast<std::size_t>(size_) + 1, 0);
    std::int64_t* const counts = begins.data() + 1;
    counts[rank_] = rows.count;
    each_other([&](int other) {
      messages_.send(other, &rows.count, sizeof rows.count);
      messages_.receive(other, &counts[other], sizeof rows.count);
    });
    wait();
    for (int r = 0; r < size_; ++r) counts[r] += begins[static_cast<std::size_t>(r)];
    const std::int64_t n = begins.back();
    if (n == 0) {
      std::memset(to_, 0, static_cast<std::size_t>(rows.row_bytes()));
      return;
    }
    if (rows.width == 0) return;
    // A chunk's sum is made where its last row lies.
    const auto chunks_before = [&](int r) {
      const std::int64_t at = begins[static_cast<std::size_t>(r)];
      return at == n ? (n + chunk_size - 1) / chunk_size : at / chunk_size;
    };
    const std::int64_t row = rows.row_bytes(), all = chunks_before(size_);
    scratch sums(all * row);
    sum_own_chunks(k, rows, begins[static_cast<std::size_t>(rank_)], n, sums.data() + chunks_before(rank_) * row);
    each_other([&](int other) {
      messages_.send(other, sums.data() + chunks_before(rank_) * row, (chunks_before(rank_ + 1) - chunks_before(rank_)) * row);
      messages_.receive(other, sums.data() + chunks_before(other) * row, (chunks_before(other + 1) - chunks_before(other)) * row);
    });
    wait();
    join_rows(k, rows.item, sums.data(), all, rows.width, to_);
  }

  // Of the chunks that end among this rank's rows, which begin at row `begin` of `n`. Those that a border between ranks cuts go
  // on as their lanes.
  void sum_own_chunks(const reduce_kernels& k, const Rows& rows, std::int64_t begin, std::int64_t n, char* sums) {
    const std::int64_t row = rows.row_bytes(), end = begin + rows.count;
    const bool begins_inside = begin % chunk_size != 0 && begin < n;
    const std::int64_t head = begins_inside ? std::min(rows.count, chunk_size - begin % chunk_size) : 0;
    const bool ends_head = begins_inside && (begin + head == n || (begin + head) % chunk_size == 0);
    const std::int64_t whole = (rows.count - head) / chunk_size, tail = rows.count - head - whole * chunk_size;
    const std::int64_t lane_bytes = lane_count * row;
    scratch lanes(lane_bytes);
    char* next = sums + (ends_head ? row : 0);
    const char* const middle = from_ + head * row;
    numjit::detail::parallel_ranges(whole, 1, static_cast<double>(whole * chunk_size * rows.width) * 0.3,
                                    [&](std::int64_t first, std::int64_t last) {
                                      for (std::int64_t c = first; c < last; ++c)
                                        join_chunk(k, rows, middle + c * chunk_size * row, chunk_size, next + c * row);
                                    });
    next += whole * row;
    const char* const last = middle + whole * chunk_size * row;
    if (tail > 0 && end == n) join_chunk(k, rows, last, tail, next);
    if (tail > 0 && end < n) {
      k.fill_neutral(lanes.data(), lane_count * rows.width);
      add_to_lanes(k, rows, last, tail, 0, lanes.data());
      messages_.send(rank_ + 1, lanes.data(), lane_bytes);
      wait();
    }
    if (!begins_inside) return;
    messages_.receive(rank_ - 1, lanes.data(), lane_bytes);
    wait();
    add_to_lanes(k, rows, from_, head, begin, lanes.data());
    if (!ends_head) {
      messages_.send(rank_ + 1, lanes.data(), lane_bytes);
      return wait();
    }
    for (int half = lane_count / 2; half > 0; half /= 2) k.combine(lanes.data() + half * row, lanes.data(), half * rows.width);
    copy_bytes(sums, lanes.data(), row);
  }

  static void join_chunk(const reduce_kernels& k, const Rows& rows, const char* in, std::int64_t n, char* out) {
    if (rows.width == 1)
      k.rows({in, rows.item, n * rows.item, n, 1}, out);
    else
      k.panel({in, rows.row_bytes(), rows.item, n, rows.width}, out);
  }

  // Rows that begin at row `begin` of all go to the lanes in turn.
  static void add_to_lanes(const reduce_kernels& k, const Rows& rows, const char* in, std::int64_t n, std::int64_t begin,
                           char* lanes) {
    const std::int64_t row = rows.row_bytes();
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t lane = (begin + i) % lane_count, some = std::min(n - i, lane_count - lane);
      k.combine(in + i * row, lanes + lane * row, some * rows.width);
      i += some;
    }
  }

  const kind& words_;
  const node *in_, *out_;
  char *from_, *to_;
  const int rank_, size_;
  Transfers messages_;
};

}  // namespace

void communicate(Group& group, const layout::communication& words, const node* in, node* result, bool program_waits) {
  Operation(group, words, in, result, program_waits).run();
  group.end();
}

}  // namespace numjit::distributed
