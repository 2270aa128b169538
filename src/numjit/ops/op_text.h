// Operations in words: what graphs, reports and logs call them, and the parameters that their rows describe.
#pragma once

#include <string>
#include <string_view>

#include <numjit/ops/op.h>
#include <numjit/ops/params.h>

namespace numjit {

/// What an op's words mean: "name:type" one behind the other, separated by blanks. A `?` behind a type: the words may end
/// before it. All of it in [ ]: there may be no words.
///   int bool          a word
///   real char dtype   a word: the bits of a double, a letter, a dtype's number
///   axis              a word; None where it is omitted
///   enum(a|b|c)       a word: 0, 1, 2
///   number            three words: layout::number
///   dims              a count, of max_rank at most, and so many words
///   list              the same of any length
///   ints              all words that are left
///   index             entries of basic indexing
///   reduction         axes, keepdims and initial: layout::reduction
///   routine           a routine's number and its words
///   in_memory         words that no file can hold
std::string_view param_schema(op_id op);

/// The op's name, of a routine that of the function it serves: "sum", "linalg.inv", "fft.rfft", "add.reduce".
std::string op_text(op_id op, const op_params& params);

/// Its parameters as keyword arguments, "axis=1, keepdims=True"; those that were omitted are left out. Of an index what
/// stands in its brackets, "[:, 1:]".
std::string params_text(op_id op, const op_params& params);

/// Why these words, which may come from a file, are no parameters of the op; "" if they are.
std::string params_problem(op_id op, const op_params& params);

}  // namespace numjit
