/** Whether a URL answers with a 2xx. The body is read, because an unread body occupies its connection. */
export async function isAnswered(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  try {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // Nothing listens yet.
    return false;
  }
}
