"""Writes a tiny llama model of random weights: make_model.py FILE. Deterministic; about 1.5 MB, or 330 MB with SLOW_MODEL; a byte tokenizer (SPM)."""
import os
import sys
import numpy as np
import gguf

n_vocab, n_embd, n_head, n_layer, n_ff, n_ctx = 3 + 256 + 95, 64, 4, 2, 128, 8192
if "SLOW_MODEL" in os.environ:
    n_embd, n_layer, n_ff = 512, 20, 2048
rng = np.random.default_rng(1)
w = gguf.GGUFWriter(sys.argv[1], "llama")
w.add_name("random")
w.add_context_length(n_ctx)
w.add_embedding_length(n_embd)
w.add_block_count(n_layer)
w.add_feed_forward_length(n_ff)
w.add_head_count(n_head)
w.add_head_count_kv(n_head)
w.add_layer_norm_rms_eps(1e-5)
w.add_rope_dimension_count(n_embd // n_head)
w.add_vocab_size(n_vocab)
w.add_file_type(gguf.LlamaFileType.ALL_F32)

tokens, scores, types = [], [], []
def token(text, score, kind):
    tokens.append(text.encode("utf-8")); scores.append(score); types.append(kind)
token("<unk>", 0.0, gguf.TokenType.UNKNOWN)
token("<s>", 0.0, gguf.TokenType.CONTROL)
token("</s>", 0.0, gguf.TokenType.CONTROL)
for b in range(256):
    token(f"<0x{b:02X}>", 0.0, gguf.TokenType.BYTE)
for i, c in enumerate(range(32, 127)):
    token("\u2581" if c == 32 else chr(c), -float(i), gguf.TokenType.NORMAL)
w.add_tokenizer_model("llama")
w.add_token_list(tokens)
w.add_token_scores(scores)
w.add_token_types(types)
w.add_bos_token_id(1)
w.add_eos_token_id(2)
w.add_unk_token_id(0)
w.add_add_bos_token(True)
w.add_chat_template("{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}\n{% endfor %}<assistant>")

def t(name, *shape, ones=False):
    data = np.ones(shape, np.float32) if ones else (rng.standard_normal(shape) * 0.08).astype(np.float32)
    w.add_tensor(name, data)
t("token_embd.weight", n_vocab, n_embd)
t("output_norm.weight", n_embd, ones=True)
# Byte and control tokens get the same small logits: answers are printable text without an end.
out = (rng.standard_normal((n_vocab, n_embd)) * 0.3).astype(np.float32)
out[:259] = 0
w.add_tensor("output.weight", out)
for i in range(n_layer):
    p = f"blk.{i}."
    t(p + "attn_norm.weight", n_embd, ones=True)
    t(p + "ffn_norm.weight", n_embd, ones=True)
    for n in ("attn_q", "attn_k", "attn_v", "attn_output"):
        t(p + n + ".weight", n_embd, n_embd)
    t(p + "ffn_gate.weight", n_ff, n_embd)
    t(p + "ffn_up.weight", n_ff, n_embd)
    t(p + "ffn_down.weight", n_embd, n_ff)
w.write_header_to_file(); w.write_kv_data_to_file(); w.write_tensors_to_file(); w.close()
