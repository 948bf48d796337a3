import net from 'node:net';
import { readdirSync } from 'node:fs';
import { connect } from '@nats-io/transport-node';
const socks = new Set<net.Socket>();
const srv = net.createServer((s) => { socks.add(s); s.on('close', () => socks.delete(s)); s.on('error',()=>{}); });
await new Promise<void>((r) => srv.listen(0, '127.0.0.1', () => r()));
const port = (srv.address() as net.AddressInfo).port;
const fds = () => readdirSync('/proc/self/fd').length;
console.log('fds', fds());
for (let i = 0; i < 6; i++) { await connect({ servers: `127.0.0.1:${port}`, timeout: 500, maxReconnectAttempts: -1, reconnectTimeWait: 250 }).catch((e) => console.log(e.message)); console.log('fds', fds(), 'server side', socks.size); }
await new Promise((r) => setTimeout(r, 3000));
console.log('fds', fds(), 'server side', socks.size);
process.exit(0);
