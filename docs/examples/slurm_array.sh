#!/bin/bash
# A suite as an array job of SLURM: each task of the array plays one shard, into a folder of its own.
#
#   sbatch docs/examples/slurm_array.sh ladder runs/ladder --games 10000
#
# The first argument is the suite, the second the folder of the whole; shard 3 of 20 gets the folder runs/ladder-3-of-20.
# Further arguments go to the command. A task that SLURM requeues, or that runs out of time, resumes its shard.
# Submit some tasks again, such as 3 and 7 of 20, with the number of all shards:
#
#   sbatch --array=3,7 --export=ALL,SHARDS=20 docs/examples/slurm_array.sh ladder runs/ladder --games 10000
#
# When all tasks are done:
#
#   python -m baselines merge runs/ladder runs/ladder-*-of-20
#
#SBATCH --job-name=minesweeper
#SBATCH --array=1-20
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=1G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@60

set -u
suite=${1:?the suite, such as ladder}
out=${2:?the folder of the whole, such as runs/ladder}
shift 2
shards=${SHARDS:-$SLURM_ARRAY_TASK_COUNT}
shard=$SLURM_ARRAY_TASK_ID

# SLURM sends USR1 60 seconds before the time is up. The finished games are in the folder already.
requeue() {
    kill -TERM "$child"
    wait "$child"
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
    exit 0
}
trap requeue USR1

python -m baselines evaluate --suite "$suite" --out "$out-$shard-of-$shards" --shard "$shard/$shards" \
    --workers "${SLURM_CPUS_PER_TASK:-1}" "$@" &
child=$!
wait "$child"
