// What kernel.c uses.
int shared = 5;
int next(int value);
int next(int value) { return value + shared; }
int choose(void);
int choose(void) { return 2; }
