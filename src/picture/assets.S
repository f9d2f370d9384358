/* assets.S: the files that assets.def lists, byte for byte as they are, and quipu__assets, which says where each begins and ends. */
    .section .rodata
#define QUIPU_ASSET(name, path) \
    .Lbegin_##name: .incbin path; \
    .Lend_##name: .byte 0;
#include "picture/assets.def"
#undef QUIPU_ASSET

    .section .data.rel.ro, "aw"
    .balign 8
    .globl quipu__assets
    .hidden quipu__assets
quipu__assets:
#define QUIPU_ASSET(name, path) .quad .Lbegin_##name, .Lend_##name;
#include "picture/assets.def"

    .section .note.GNU-stack, "", %progbits
