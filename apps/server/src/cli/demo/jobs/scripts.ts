/** The scripts of the demo's jobs. They print what the real programs would, and sleep where those would compute. */
const bash = (body: string) => `#!/bin/bash\nset -euo pipefail\n\n${body.trim()}\n`

export const scripts = {
  'RNA-seq alignment': bash(`
sample=$(printf 'S%02d' $((RANDOM % 48 + 1)))
echo "[$(date +%T)] sample $sample: 2 x 150 bp, 41.8 M read pairs"
for step in trimming aligning sorting counting; do
  echo "[$(date +%T)] $step"
  sleep $((RANDOM % 40 + 20))
done
echo "[$(date +%T)] uniquely mapped: 91.4 %, multi-mapped: 5.2 %"
echo "counts written to counts/$sample.tsv"`),
  'Wing section LES': bash(`
echo "mesh: 18.4 M cells, 32 ranks, dt 2e-6"
for step in $(seq 1 60); do
  echo "Time = $(printf '0.%05d' $((step * 50)))  Courant max: 0.8$((RANDOM % 10))  p residual: 3.$((RANDOM % 90 + 10))e-07"
  sleep 6
done
echo "Cl 0.612, Cd 0.0173, averaged over the last 40 steps"`),
  'Regional climate ensemble': bash(`
echo "member $((RANDOM % 20 + 1)) of 20, 9 km grid"
for day in $(seq 1 30); do
  echo "$(date +%T) simulated day $day of 30, 4.$((RANDOM % 10)) s per step"
  sleep 9
done
echo "wrfout written, 14.2 GB"`),
  'Nightly quality report': bash(`
echo "reads of $(date +%F)"
for lane in 1 2 3 4; do echo "lane $lane: Q30 94.$((RANDOM % 10)) %"; sleep 12; done
echo "report: reports/$(date +%F).html"`),
  'Train segmentation model': bash(`
echo "2 GPUs, batch 64, AdamW, lr 3e-4"
for epoch in $(seq 1 40); do
  echo "epoch $epoch/40  loss 0.$((900 - epoch * 18))  val dice 0.$((600 + epoch * 7))"
  sleep 10
done
echo "best checkpoint: runs/latest/epoch-37.pt"`),
  'Fine-tune protein LM': bash(`
echo "esm2_t33_650M, LoRA rank 16"
for step in $(seq 100 100 3000); do
  echo "step $step  loss 2.$((RANDOM % 90 + 10))  14.$((RANDOM % 10)) it/s"
  sleep 7
done
echo "adapter saved"`),
  'Galaxy image inference': bash(`
for shard in $(seq 1 12); do echo "shard $shard of 12: 8192 cutouts"; sleep 10; done
echo "98304 predictions written to predictions.parquet"`),
  'Parameter sweep': bash(`
echo "setting $((RANDOM % 48 + 1)) of 48: demand 0.$((RANDOM % 9 + 1)), green wave on"
sleep $((RANDOM % 60 + 30))
echo "mean travel time 412 s, 3 gridlocks"`),
  'Course exercise 4': bash(`
echo "16 ranks, 4096 x 4096 grid"
for i in 1 2 3 4 5; do echo "iteration \${i}000, residual 1.$((RANDOM % 9))e-0$i"; sleep 8; done
echo "converged"`),
  'Variant calling': bash(`
echo "HaplotypeCaller, GRCh38, 30x"
for chromosome in $(seq 1 22) X Y; do echo "[$(date +%T)] chr$chromosome done"; sleep 8; done
echo "4,812,337 variants, Ti/Tv 2.08"`),
  'Ab initio relaxation': bash(`
for scf in $(seq 1 18); do echo "scf $scf  total energy = -1284.$((RANDOM % 9000 + 1000)) Ry"; sleep 10; done
echo "bfgs converged in 18 scf cycles"`),
  'Seismic inversion': bash(`
for shot in $(seq 1 20); do echo "shot $shot of 20, misfit 0.$((RANDOM % 90 + 10))"; sleep 12; done`),
  'Catalog cleanup': bash(`
echo "scratch is 61 % full"
sleep 15
echo "removed 1,204 files, 38 GB"`),
}

/** The output of jobs that ended before the demo was started. */
export const outputs: Record<keyof typeof scripts, string> = {
  'RNA-seq alignment':
    '[09:12:04] sample S17: 2 x 150 bp, 41.8 M read pairs\n[09:12:04] trimming\n[09:31:40] aligning\n[11:02:18] sorting\n[11:20:55] counting\n[11:34:12] uniquely mapped: 91.4 %, multi-mapped: 5.2 %\ncounts written to counts/S17.tsv\n',
  'Wing section LES':
    'mesh: 18.4 M cells, 32 ranks, dt 2e-6\nTime = 0.02950  Courant max: 0.84  p residual: 3.41e-07\nTime = 0.03000  Courant max: 0.83  p residual: 3.38e-07\nCl 0.612, Cd 0.0173, averaged over the last 40 steps\n',
  'Regional climate ensemble':
    'member 7 of 20, 9 km grid\nsimulated day 29 of 30, 4.3 s per step\nsimulated day 30 of 30, 4.2 s per step\nwrfout written, 14.2 GB\n',
  'Nightly quality report':
    'lane 1: Q30 94.6 %\nlane 2: Q30 94.1 %\nlane 3: Q30 93.9 %\nlane 4: Q30 94.4 %\nreport written\n',
  'Train segmentation model':
    '2 GPUs, batch 64, AdamW, lr 3e-4\nepoch 38/40  loss 0.216  val dice 0.866\nepoch 39/40  loss 0.198  val dice 0.873\nepoch 40/40  loss 0.180  val dice 0.880\nbest checkpoint: runs/latest/epoch-37.pt\n',
  'Fine-tune protein LM':
    'esm2_t33_650M, LoRA rank 16\nstep 2900  loss 2.31  14.2 it/s\nstep 3000  loss 2.29  14.4 it/s\nadapter saved\n',
  'Galaxy image inference':
    'shard 11 of 12: 8192 cutouts\nshard 12 of 12: 8192 cutouts\n98304 predictions written to predictions.parquet\n',
  'Parameter sweep': 'setting 31 of 48: demand 0.7, green wave on\nmean travel time 412 s, 3 gridlocks\n',
  'Course exercise 4': '16 ranks, 4096 x 4096 grid\niteration 5000, residual 1.2e-05\nconverged\n',
  'Variant calling':
    'HaplotypeCaller, GRCh38, 30x\n[14:02:51] chr22 done\n[14:20:07] chrX done\n[14:21:30] chrY done\n4,812,337 variants, Ti/Tv 2.08\n',
  'Ab initio relaxation':
    'scf 17  total energy = -1284.30912847 Ry\nscf 18  total energy = -1284.30912911 Ry\nbfgs converged in 18 scf cycles\n',
  'Seismic inversion': 'shot 19 of 20, misfit 0.14\nshot 20 of 20, misfit 0.12\n',
  'Catalog cleanup': 'scratch is 61 % full\nremoved 1,204 files, 38 GB\n',
}

/** The last lines of failed jobs. */
export const failures = [
  'slurmstepd: error: Detected 1 oom_kill event. Some of the step tasks have been OOM Killed.\n',
  "ModuleNotFoundError: No module named 'torchvision'\n",
  'input/run_0412.h5: No such file or directory\n',
  'FOAM FATAL ERROR: Maximum number of iterations exceeded\n',
] as const
