// Compiled for a fixed address.
static const int table[] = {1, 2, 3, 4};
int parts_argv(void** argv);
int parts_argv(void** argv) { return table[(long)argv & 3]; }
