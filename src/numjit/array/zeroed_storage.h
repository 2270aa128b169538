// Storage whose pages the system fills with zeros when they are first touched. Internal.
#pragma once

#include <numjit/array/node.h>

namespace numjit::detail {

/// allocate_storage() for who is about to fill the block with zeros. True: it holds zeros already, and was not touched.
bool allocate_zeroed_storage(node* n);

}  // namespace numjit::detail
