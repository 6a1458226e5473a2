// libtorsor.so has no source of its own: its objects are those of the rooms (shared.cmake).
