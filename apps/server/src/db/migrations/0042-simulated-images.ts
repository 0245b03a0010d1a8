/** Whether the simulated cloud made an image: the console may work with another one later. Null if built before this. */
export const simulatedImages = `
alter table stack_images add simulated boolean;
`
