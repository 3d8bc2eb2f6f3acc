FROM python:3.12-slim

RUN useradd --create-home --uid 1000 ownsona && install -d -o ownsona -g ownsona /data
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir --root-user-action=ignore -r requirements.txt
COPY . .

USER ownsona
ENV HOST=0.0.0.0 OWNSONA_DATA_DIR=/data PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8000
HEALTHCHECK --start-period=60s --interval=30s --timeout=5s \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ.get(\"PORT\", 8000)}/health')"]
CMD ["python", "manage.py", "serve"]
