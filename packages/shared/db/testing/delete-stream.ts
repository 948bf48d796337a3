import net from 'node:net';

/** Deletes a stream with all that it holds, as losing a server's disk does. Speaks NATS by hand: no code outside the bus has a client. */
export async function deleteStream(natsUrl: string, name: string): Promise<void> {
  const { hostname, port, username, password } = new URL(natsUrl);
  const socket = net.connect(Number(port), hostname);
  const options = { verbose: false, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  let said = '';
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`NATS closed the connection: ${said}`)));
    socket.on('data', (chunk) => {
      said += chunk.toString();
      if (said.includes('"success":true')) resolve();
      else if (said.includes('"error":')) reject(new Error(said));
    });
    const subject = `$JS.API.STREAM.DELETE.${name}`;
    socket.write(`CONNECT ${JSON.stringify(options)}\r\nSUB answer 1\r\nPUB ${subject} answer 0\r\n\r\n`);
  }).finally(() => socket.destroy());
}
