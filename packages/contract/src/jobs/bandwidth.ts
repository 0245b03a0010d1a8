/**
 * A job that measures the network between two nodes with MPI. The script contains the program's source and compiles it.
 */
export const bandwidthScript = `#!/bin/bash
# Latency and bandwidth between two nodes, with MPI.
[ ! -r /etc/profile.d/flotilla-mpi.sh ] || . /etc/profile.d/flotilla-mpi.sh
command -v mpicc > /dev/null || { echo "Open MPI is not installed on $(hostname)"; exit 1; }
folder=$(mktemp -d "$PWD/bandwidth.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
cat > "$folder/bandwidth.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST (4 << 20)
#define WINDOW 16

int main(int argc, char **argv) {
  int rank, size, length;
  char name[MPI_MAX_PROCESSOR_NAME], other[MPI_MAX_PROCESSOR_NAME];
  MPI_Request requests[WINDOW];
  char *buffer = calloc(1, LARGEST);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    fprintf(stderr, "This test needs 2 tasks, not %d\\n", size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Get_processor_name(name, &length);
  if (rank == 1) MPI_Send(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  else {
    MPI_Recv(other, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("Between %s and %s\\n%10s %14s %18s\\n", name, other, "bytes", "latency (us)", "bandwidth (MB/s)");
  }
  for (int bytes = 1; bytes <= LARGEST; bytes *= 4) {
    int rounds = bytes > 65536 ? 20 : 200;
    double start, latency = 0, bandwidth;
    /* The first rounds only warm up. */
    for (int round = -rounds / 10; round < rounds; round++) {
      if (round == 0) { MPI_Barrier(MPI_COMM_WORLD); start = MPI_Wtime(); }
      if (rank == 0) {
        MPI_Send(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
      }
    }
    latency = (MPI_Wtime() - start) / rounds / 2 * 1e6;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < WINDOW; i++)
        if (rank == 0) MPI_Isend(buffer, bytes, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &requests[i]);
        else MPI_Irecv(buffer, bytes, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &requests[i]);
      MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    bandwidth = (double)bytes * WINDOW * rounds / (MPI_Wtime() - start) / 1e6;
    if (rank == 0) printf("%10d %14.2f %18.1f\\n", bytes, latency, bandwidth);
  }
  MPI_Finalize();
  free(buffer);
  return 0;
}
C
mpicc -O2 -o "$folder/bandwidth" "$folder/bandwidth.c" || exit 1
mpirun -np 2 --map-by ppr:1:node "$folder/bandwidth"
`
