// A common symbol: compiled with -fcommon.
int count;
int parts_argv(void** argv);
int parts_argv(void** argv) { return argv ? ++count : 0; }
