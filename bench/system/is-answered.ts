/** Whether an address answers with a 2xx. The body is read, or the connection stays taken until the Response is collected. */
export async function isAnswered(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  try {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // Nobody listens yet.
    return false;
  }
}
