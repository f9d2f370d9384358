# Events in time order, native records in file order, and selecting.
trace=$DATA/cli/exchange.otf
pick() {
    echo "\$ cat $*"
    { quipu cat "$@" "$trace" 2>&1 || echo "exit $?"; } | sed "s,$DATA/,,"
}
pick
pick --records
pick --json --kind send,recv
pick --records --json --limit 2
pick --since 30us --until 46
pick --since 0.000095s
pick --until 15000ns
pick --location 1 --kind enter
pick --location 'rank 0' --limit 1
pick --location 'rank ?' --limit 3
pick --kind enter --region 'MPI_*'
pick --kind collective --limit 1
pick --limit 0
pick --location 2
pick --location rank:0
pick --region nothing
pick --kind tea
pick --kind sent
pick --since noon
pick --since 1.5
pick --since 9223372036.9s
pick --until -5
