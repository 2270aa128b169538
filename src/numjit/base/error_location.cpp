// Errors that know the operation they come from.
#include <numjit/base/error_location.h>

#include <numjit/base/error.h>

namespace numjit {
namespace detail {
namespace {

template <class Error>
class Located final : public Error, public OfOperation {
 public:
  Located(const Error& error, const location& where, int node) : Error(error), OfOperation(where, node) {}
};

}  // namespace

const OfOperation* operation_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return dynamic_cast<const OfOperation*>(&e);
  } catch (...) {
    return nullptr;
  }
}

void rethrow_as_of(const location& where, int node) {
  const auto rethrow = [&]<class Error>(const Error& e) {
    // A graph that an operation of this one ran has named its own.
    if (dynamic_cast<const OfOperation*>(&e)) throw;
    throw Located<Error>(e, where, node);
  };
  try {
    throw;
  } catch (const AxisError& e) {
    rethrow(e);
  } catch (const TypeError& e) {
    rethrow(e);
  } catch (const ValueError& e) {
    rethrow(e);
  } catch (const IndexError& e) {
    rethrow(e);
  } catch (const OverflowError& e) {
    rethrow(e);
  } catch (const ZeroDivisionError& e) {
    rethrow(e);
  } catch (const FloatingPointError& e) {
    rethrow(e);
  } catch (const LinAlgError& e) {
    rethrow(e);
  } catch (const NotImplementedError& e) {
    rethrow(e);
  } catch (const MemoryError& e) {
    rethrow(e);
  } catch (const DeviceError& e) {
    rethrow(e);
  } catch (const InternalError& e) {
    rethrow(e);
  }
  throw;  // not reached
}

}  // namespace detail

location error_location(const std::exception& e) {
  const auto* operation = dynamic_cast<const detail::OfOperation*>(&e);
  return operation ? operation->where : location{};
}

}  // namespace numjit
