# Where output goes, and what happens when it cannot go there.
quipu formats -o formats.txt
quipu formats | cmp - formats.txt
quipu formats -o formats.txt 2>err || echo "exit $?"
grep -c '^quipu: formats.txt: ' err
quipu formats --json --force -o formats.txt
head -c 9 formats.txt; echo
quipu formats --csv -o - | head -c 13; echo
if [ -e /dev/full ]; then
    quipu formats >/dev/full 2>err || echo "exit $?"
    quipu help >/dev/full 2>err || echo "exit $?"
else
    printf 'exit 5\nexit 5\n'
fi
mkdir closed
quipu formats -o missing/formats.txt 2>err || echo "exit $?"
grep -c '^quipu: missing/formats.txt: ' err
ls
