// Code that runs before others.
static int ready;
__attribute__((constructor)) static void prepare(void) { ready = 1; }
int parts_argv(void** argv);
int parts_argv(void** argv) { return argv ? ready : 0; }
