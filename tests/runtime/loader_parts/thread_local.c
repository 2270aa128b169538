// A variable of each thread.
static _Thread_local int count;
int parts_argv(void** argv);
int parts_argv(void** argv) { return argv ? ++count : 0; }
