// No kernel: a function that another program may call.
int none(int x) { return x + 1; }
