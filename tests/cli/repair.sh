# What repair keeps, where it says what it did, and what it refuses.
cp "$DATA"/sweep/otf/* "$DATA"/sweep/dumpi/ring* .

echo "A killed run: a record is cut, another rank has left nothing."
head -c 300 ring-0001.bin >cut
mv cut ring-0001.bin
: >ring-0000.bin
quipu repair ring.meta -o whole.meta 2>&1
quipu check whole.meta >out || echo "exit $?"
ls whole*

echo "A stream and the master control file are lost."
rm ring.otf ring.2.events
quipu repair ring.1.events -o whole.otf 2>&1
quipu repair ring.1.events -o whole.otf --force --json 2>&1 | grep -o '"records": {[^}]*}'
quipu check whole.otf >out || echo "exit $?"

echo "The input stays as it is, and so does what is there already."
quipu repair ring.meta -o ring.meta --force 2>&1 || echo "exit $?"
quipu repair ring.meta -o ./ring-fixed.meta --quiet 2>&1
quipu repair ring.meta -o ./ring-fixed.meta --quiet 2>&1 || echo "exit $?"

echo "Nothing can be read."
echo nonsense >nothing.bin
quipu repair nothing.bin -o whole-nothing.bin 2>&1 || echo "exit $?"
quipu repair ring.meta 2>&1 || echo "exit $?"
