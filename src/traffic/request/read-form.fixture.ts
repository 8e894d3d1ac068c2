interface FormBody {
  formData(): Promise<FormData>;
}

/** What the platform reads out of a form, for tests: it is deprecated for servers, and nobody else's is at hand. */
export const readForm = (body: Uint8Array, contentType: string): Promise<FormData> => {
  const response: FormBody = new Response(Buffer.from(body), {
    headers: { 'content-type': contentType },
  });
  return response.formData();
};
