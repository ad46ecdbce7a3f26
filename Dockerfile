# An image with every command, whose kernels are compiled for any processor of its architecture:
#
#     docker build -t minesweeper-env .
#     docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" minesweeper-env \
#         minesweeper evaluate --policy exact --games 1000
#     docker run --rm -it minesweeper-env minesweeper play

FROM python:3.11-slim AS wheel
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.11-slim
# Numba takes compiled code of a processor with the same name and features alone: both must be the same at build and at run.
ENV NUMBA_CPU_NAME=generic \
    NUMBA_CPU_FEATURES="" \
    NUMBA_CACHE_DIR=/opt/kernels \
    MPLCONFIGDIR=/tmp/matplotlib \
    PYTHONUNBUFFERED=1
# PyTorch of this index brings no libraries for GPUs along.
RUN pip install --no-cache-dir torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu
COPY --from=wheel /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[train,hub,play]"
RUN useradd --create-home player \
 && install --directory --owner player /opt/kernels /work
USER player
RUN python -m baselines warm-up
# A container may run as another user (`docker run --user`), and Numba reads compiled code only where it may also write.
RUN chmod -R a+rwX /opt/kernels
WORKDIR /work
CMD ["python", "-m", "baselines"]
