// A program whose header is precompiled: it includes nothing.
int main() { return numjit::sum(numjit::arange(5)).item<int>() == 10 ? 0 : 1; }
