// Asks the process in this container whether it is ready. The image has no curl, and plain JavaScript starts fastest.
const response = await fetch(`http://127.0.0.1:${process.env.HEALTH_PORT}/ready`);
if (!response.ok) {
  console.error(await response.text());
  process.exitCode = 1;
}
