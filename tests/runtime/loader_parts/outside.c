// A function that kernels may not call.
int puts(const char*);
int parts_argv(void** argv);
int parts_argv(void** argv) { return puts(argv[0]); }
