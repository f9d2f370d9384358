/* assets.S: the files that assets.def lists, byte for byte as they are. The bytes of each lie between two symbols. */
#define QUIPU_ASSET(name, path)        \
    .globl quipu__asset_##name;        \
    .hidden quipu__asset_##name;       \
    .globl quipu__asset_end_##name;    \
    .hidden quipu__asset_end_##name;   \
    quipu__asset_##name:               \
    .incbin path;                      \
    quipu__asset_end_##name:           \
    .byte 0;

    .section .rodata
#include "picture/assets.def"

    .section .note.GNU-stack, "", %progbits
