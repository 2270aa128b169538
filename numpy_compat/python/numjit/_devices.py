"""Devices besides the CPU: which there are, their memory, and what the host did in their place."""
from types import SimpleNamespace

from . import _core as C


class DeviceInfo(SimpleNamespace):
    """One device: name, model, driver, memory (bytes), units, capability."""


class DeviceMemory(SimpleNamespace):
    """Memory that arrays of a device take, in bytes: in_use, peak, cached, limit (0: what it has), trims."""


class HostWork(SimpleNamespace):
    """An operation on arrays of a device that the host computed: device, op, count, bytes."""


class DeviceTransfers(SimpleNamespace):
    """Copies since start: in_, in_bytes (to devices), out, out_bytes (from devices)."""


class CudaInfo(SimpleNamespace):
    """What there is of CUDA: available, reason (why not), driver, devices."""

    def __str__(self):
        return self.text

    __repr__ = __str__


def list_devices():
    """All devices of this machine that numjit.device takes, the CPU first."""
    return [DeviceInfo(**d) for d in C._list_devices()]


def device_memory_usage(device):
    """Memory that arrays of a device take."""
    return DeviceMemory(**C._device_memory(str(device)))


def set_device_memory_limit(device, bytes):
    """Bytes that arrays of a device may take, 0 for what it has; more is a MemoryError that tells the sizes."""
    C.set_device_memory_limit(str(device), bytes)


def trim_device_memory(device):
    """Gives memory that is kept for the next arrays back to a device."""
    C.trim_device_memory(str(device))


def device_host_work():
    """Operations on arrays of devices that the host computed since start, what moved most first."""
    return [HostWork(**w) for w in C._host_work()]


def transfer_counts():
    """Copies between host and devices since start."""
    return DeviceTransfers(**C._transfer_counts())


class GraphCounts(SimpleNamespace):
    """Compiled calls on devices that came again, since start: kept, repeated, launched (as graphs of CUDA), refused."""


class cuda:
    """numjit.cuda.info(): is there CUDA here, and if not, why."""

    @staticmethod
    def info():
        """What there is of CUDA on this machine. Never an error."""
        return CudaInfo(**C._cuda_info())

    @staticmethod
    def use_graphs(on):
        """Compiled calls that come again with the same arrays are launched in one piece (the default), or kernel by kernel: config.cuda_graphs."""
        C._use_graphs(bool(on))

    @staticmethod
    def uses_graphs():
        """What config.cuda_graphs is: true at start, unless the environment variable NUMJIT_CUDA_GRAPHS is 0."""
        return C._uses_graphs()

    @staticmethod
    def count_graphs():
        """What became of it since start."""
        return GraphCounts(**C._graph_counts())
