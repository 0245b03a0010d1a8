/**
 * The course of the demo's workshop. Its runnable code works on the simulated clusters, which have no Torque commands.
 */
export const course = {
  name: 'Introduction to batch computing',
  description: 'From the first login to a job array, in one morning.',
  chapters: [
    {
      title: 'Logging in',
      markdown: `You are on the **head node**. Use it to prepare jobs, not to run them: programs run on the compute nodes.

\`\`\`bash
hostname
nproc
df -h ~
\`\`\`

> [!NOTE]
> Nodes start when a job waits for them and stop when they are idle. The first job may take a few minutes.

\`\`\`quiz
Where should long computations run?
- [ ] On the head node
- [x] On the compute nodes, as a job
> The head node is shared by everyone who is logged in.
\`\`\`
`,
    },
    {
      title: 'A first job',
      markdown: `A job is a script with a few lines that say what it needs.

\`\`\`bash
cat > hello.sh <<'END'
#!/bin/bash
#PBS -l nodes=1:ppn=1,walltime=00:05:00
echo "Hello from $(hostname)"
END
bash hello.sh
\`\`\`

If it works when you run it by hand, submit it and watch it wait and run:

\`\`\`text
qsub hello.sh
qstat
\`\`\`

> [!TIP]
> The output is in \`hello.sh.o\` followed by the job number.

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
      markdown: `A job array runs one script many times, each time with a different number.

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
What would you run as a job array in your own research?
\`\`\`
`,
    },
  ],
}
