interface FormBody {
  formData(): Promise<FormData>;
}

/**
 * Reads a form by the platform's own parser, for tests. That parser is deprecated for servers, but no other one is
 * available here.
 */
export const readForm = (body: Uint8Array, contentType: string): Promise<FormData> => {
  const response: FormBody = new Response(Buffer.from(body), {
    headers: { 'content-type': contentType },
  });
  return response.formData();
};
