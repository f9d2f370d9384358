/* older_glibc.h: ahead of every source of the tarball that tools/dist-binary makes: functions of mathematics as they were before glibc 2.29, so
 * that it runs with older ones. They differ in errno of matherr() only, which is not used here. */
#if defined(__x86_64__) && !defined(__ASSEMBLER__)
__asm__(".symver exp,exp@GLIBC_2.2.5");
__asm__(".symver exp2,exp2@GLIBC_2.2.5");
__asm__(".symver log,log@GLIBC_2.2.5");
__asm__(".symver log2,log2@GLIBC_2.2.5");
__asm__(".symver pow,pow@GLIBC_2.2.5");
#endif
