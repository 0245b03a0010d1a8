import type { JobData } from '@flotilla/contract/jobs/jobs'
import type { scripts } from './scripts'

/** What someone runs again and again. */
export type Workload = {
  job: keyof typeof scripts
  owner: string
  cluster: string
  description: string
  data: Pick<JobData, 'nodes' | 'cores' | 'gpus' | 'walltime'>
  /** How long one takes. */
  hours: [least: number, most: number]
  perWeek: number
  /** Of all that start. */
  failing: number
  /** By a timer at this hour (UTC), also on weekends. */
  nightlyAt?: number
}

const on = (nodes: number, cores: number, walltime: string, gpus = 0) => ({ nodes, cores, gpus, walltime })

export const workloads: Workload[] = [
  {
    job: 'RNA-seq alignment',
    owner: 'amina',
    cluster: 'Aurora',
    description: 'STAR alignment and gene counts, one sample per job',
    data: on(1, 8, '08:00:00'),
    hours: [0.7, 4.5],
    perWeek: 46,
    failing: 0.06,
  },
  {
    job: 'Wing section LES',
    owner: 'lars',
    cluster: 'Aurora',
    description: 'Large-eddy simulation of a wing section, OpenFOAM on four nodes',
    data: on(4, 8, '14:00:00'),
    hours: [3, 11],
    perWeek: 9,
    failing: 0.12,
  },
  {
    job: 'Regional climate ensemble',
    owner: 'priya',
    cluster: 'Aurora',
    description: 'WRF members over the western Indian Ocean',
    data: on(2, 8, '12:00:00'),
    hours: [2, 8],
    perWeek: 12,
    failing: 0.05,
  },
  {
    job: 'Nightly quality report',
    owner: 'fatima',
    cluster: 'Aurora',
    description: 'FastQC and MultiQC over the reads of the day',
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
    description: 'U-Net on cell microscopy, two GPUs',
    data: on(1, 16, '1-00:00:00', 2),
    hours: [4, 18],
    perWeek: 11,
    failing: 0.09,
  },
  {
    job: 'Fine-tune protein LM',
    owner: 'sofia',
    cluster: 'Tensor',
    description: 'LoRA adapters for ESM-2, one GPU each',
    data: on(1, 8, '12:00:00', 1),
    hours: [1.5, 7],
    perWeek: 16,
    failing: 0.07,
  },
  {
    job: 'Galaxy image inference',
    owner: 'leilani',
    cluster: 'Tensor',
    description: 'Morphology classes for survey cutouts',
    data: on(1, 4, '04:00:00', 1),
    hours: [0.4, 2],
    perWeek: 20,
    failing: 0.03,
  },
  {
    job: 'Parameter sweep',
    owner: 'noah',
    cluster: 'Nimbus',
    description: 'Master thesis: 48 settings of the traffic model',
    data: on(1, 4, '03:00:00'),
    hours: [0.3, 1.6],
    perWeek: 64,
    failing: 0.1,
  },
  {
    job: 'Course exercise 4',
    owner: 'maria',
    cluster: 'Nimbus',
    description: 'MPI heat equation, reference runs for the course',
    data: on(2, 8, '01:00:00'),
    hours: [0.15, 0.7],
    perWeek: 22,
    failing: 0.08,
  },
  {
    job: 'Variant calling',
    owner: 'fatima',
    cluster: 'Nimbus',
    description: 'GATK best practices on 30x genomes',
    data: on(1, 8, '10:00:00'),
    hours: [1.5, 6],
    perWeek: 18,
    failing: 0.05,
  },
  {
    job: 'Ab initio relaxation',
    owner: 'sofia',
    cluster: 'Helios',
    description: 'Quantum ESPRESSO, perovskite supercells',
    data: on(1, 8, '20:00:00'),
    hours: [2, 13],
    perWeek: 14,
    failing: 0.11,
  },
  {
    job: 'Seismic inversion',
    owner: 'priya',
    cluster: 'Meridian',
    description: 'Full-waveform inversion, archived survey lines',
    data: on(2, 16, '1-12:00:00'),
    hours: [6, 22],
    perWeek: 5,
    failing: 0.08,
  },
  {
    job: 'Catalog cleanup',
    owner: 'tomasz',
    cluster: 'This machine',
    description: 'Removes scratch files that are older than 30 days',
    data: on(1, 1, '00:30:00'),
    hours: [0.05, 0.2],
    perWeek: 7,
    failing: 0.02,
    nightlyAt: 4,
  },
]
