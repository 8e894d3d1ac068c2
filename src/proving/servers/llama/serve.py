"""Serves a model by llama.cpp's own HTTP server: serve.py FILE PORT [KEY…], with the template CHAT_TEMPLATE if it is set. Ends at the end of its standard input or by a signal."""

import os
import signal
import sys

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.port = int(sys.argv[2])
parameters.n_ctx = 8192
parameters.n_parallel = 4
parameters.n_predict = 64
parameters.n_threads_http = 8
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
parameters.warmup = False
parameters.endpoint_metrics = True
parameters.use_jinja = True
parameters.cache_ram_mib = 0
parameters.n_gpu_layers = 0
parameters.model_alias = {"random"}
parameters.api_keys = sys.argv[3:]
if "CHAT_TEMPLATE" in os.environ:
    parameters.chat_template = os.environ["CHAT_TEMPLATE"]
    parameters.n_parallel = 1
server = xllamacpp.Server(parameters)
print("listening", server.listening_address, flush=True)
signal.pause()
