// pkg-config leads into the folder of the headers itself; Debian's compilers find it without.
#if __has_include(<minizip/unzip.h>)
#include <minizip/unzip.h>
#else
#include <unzip.h>
#endif
