import type { JobData } from '@flotilla/contract/jobs/jobs'
import type { scripts } from './scripts'

/** A job that a user submits regularly. */
export type Workload = {
  job: keyof typeof scripts
  owner: string
  cluster: string
  description: string
  data: Pick<JobData, 'nodes' | 'cores' | 'gpus' | 'walltime'>
  /** How long a run takes. */
  hours: [least: number, most: number]
  perWeek: number
  /** The share of runs that fail. */
  failing: number
  /** The hour (UTC) at which a timer submits it, also on weekends. */
  nightlyAt?: number
}

const on = (nodes: number, cores: number, walltime: string, gpus = 0) => ({ nodes, cores, gpus, walltime })

export const workloads: Workload[] = [
  {
    job: 'RNA-seq alignment',
    owner: 'amina',
    cluster: 'Aurora',
    description: 'Align one sample with STAR and count reads per gene',
    data: on(1, 8, '08:00:00'),
    hours: [0.7, 4.5],
    perWeek: 46,
    failing: 0.06,
  },
  {
    job: 'Wing section LES',
    owner: 'lars',
    cluster: 'Aurora',
    description: 'OpenFOAM large-eddy simulation of a wing section at Re 1e6',
    data: on(4, 8, '14:00:00'),
    hours: [3, 11],
    perWeek: 9,
    failing: 0.12,
  },
  {
    job: 'Regional climate ensemble',
    owner: 'priya',
    cluster: 'Aurora',
    description: 'WRF ensemble member, western Indian Ocean at 9 km',
    data: on(2, 8, '12:00:00'),
    hours: [2, 8],
    perWeek: 12,
    failing: 0.05,
  },
  {
    job: 'Nightly quality report',
    owner: 'fatima',
    cluster: 'Aurora',
    description: 'FastQC and MultiQC report on the latest sequencing reads',
    data: on(1, 4, '02:00:00'),
    hours: [0.3, 0.9],
    perWeek: 7,
    failing: 0.04,
    nightlyAt: 2,
  },
  {
    job: 'Train segmentation model',
    owner: 'chenwei',
    cluster: 'Tensor',
    description: 'Train a U-Net to segment cell microscopy images',
    data: on(1, 16, '1-00:00:00', 2),
    hours: [4, 18],
    perWeek: 11,
    failing: 0.09,
  },
  {
    job: 'Fine-tune protein LM',
    owner: 'sofia',
    cluster: 'Tensor',
    description: 'Train LoRA adapters for ESM-2',
    data: on(1, 8, '12:00:00', 1),
    hours: [1.5, 7],
    perWeek: 16,
    failing: 0.07,
  },
  {
    job: 'Galaxy image inference',
    owner: 'leilani',
    cluster: 'Tensor',
    description: 'Classify galaxy morphology in survey images',
    data: on(1, 4, '04:00:00', 1),
    hours: [0.4, 2],
    perWeek: 20,
    failing: 0.03,
  },
  {
    job: 'Parameter sweep',
    owner: 'noah',
    cluster: 'Nimbus',
    description: 'Traffic model for my master’s thesis, 48 parameter sets',
    data: on(1, 4, '03:00:00'),
    hours: [0.3, 1.6],
    perWeek: 64,
    failing: 0.1,
  },
  {
    job: 'Course exercise 4',
    owner: 'maria',
    cluster: 'Nimbus',
    description: 'Reference solution: heat equation with MPI',
    data: on(2, 8, '01:00:00'),
    hours: [0.15, 0.7],
    perWeek: 22,
    failing: 0.08,
  },
  {
    job: 'Variant calling',
    owner: 'fatima',
    cluster: 'Nimbus',
    description: 'GATK germline variant calling on 30x whole genomes',
    data: on(1, 8, '10:00:00'),
    hours: [1.5, 6],
    perWeek: 18,
    failing: 0.05,
  },
  {
    job: 'Ab initio relaxation',
    owner: 'sofia',
    cluster: 'Helios',
    description: 'Relax perovskite supercells with Quantum ESPRESSO',
    data: on(1, 8, '20:00:00'),
    hours: [2, 13],
    perWeek: 14,
    failing: 0.11,
  },
  {
    job: 'Seismic inversion',
    owner: 'priya',
    cluster: 'Meridian',
    description: 'Full-waveform inversion of archived 2D survey lines',
    data: on(2, 16, '1-12:00:00'),
    hours: [6, 22],
    perWeek: 5,
    failing: 0.08,
  },
  {
    job: 'Catalog cleanup',
    owner: 'tomasz',
    cluster: 'This machine',
    description: 'Delete scratch files older than 30 days',
    data: on(1, 1, '00:30:00'),
    hours: [0.05, 0.2],
    perWeek: 7,
    failing: 0.02,
    nightlyAt: 4,
  },
]
