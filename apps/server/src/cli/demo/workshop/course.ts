/** What the workshop of the demo teaches. What can be run works on its simulated clusters, which have no Torque commands. */
export const course = {
  name: 'Introduction to batch computing',
  description: 'From the first login to an array of jobs, in one morning.',
  chapters: [
    {
      title: 'Logging in',
      markdown: `You are on the **head node**. It is for preparing work, not for doing it: programs run on the compute nodes.

\`\`\`bash
hostname
nproc
df -h ~
\`\`\`

> [!NOTE]
> Nodes start when a job waits for them and stop when they are idle. The first job may take a few minutes.

\`\`\`quiz
Where do programs that compute for hours belong?
- [ ] On the head node
- [x] On the compute nodes, as a job
> The head node is shared by everyone who is logged in.
\`\`\`
`,
    },
    {
      title: 'A first job',
      markdown: `A job is a script with a few lines about what it needs.

\`\`\`bash
cat > hello.sh <<'END'
#!/bin/bash
#PBS -l nodes=1:ppn=1,walltime=00:05:00
echo "Hello from $(hostname)"
END
bash hello.sh
\`\`\`

If it works by hand, submit it, and see how it waits and runs:

\`\`\`text
qsub hello.sh
qstat
\`\`\`

> [!TIP]
> The output is in \`hello.sh.o\` followed by the number of the job.

\`\`\`quiz
Which command shows what is waiting and running?
- [ ] qsub
- [ ] qdel
- [x] qstat
\`\`\`
`,
    },
    {
      title: 'Many jobs at once',
      markdown: `An array runs one script many times, each with a number of its own.

\`\`\`bash
for number in 1 2 3 4; do PBS_ARRAYID=$number bash hello.sh; done
\`\`\`

The resource manager does the same on many nodes at a time:

\`\`\`text
qsub -t 1-4 hello.sh
\`\`\`

> [!WARNING]
> Try one before you submit a thousand.

\`\`\`quiz
What would you run as an array in your own research?
\`\`\`
`,
    },
  ],
}
