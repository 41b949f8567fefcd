"""Pack a file for the site: a server may not pack it itself. The same bytes each time. Usage: pack.py FILE"""

import gzip
import sys
from pathlib import Path

file = Path(sys.argv[1])
packed = gzip.compress(file.read_bytes(), 9, mtime=0)
file.with_name(f"{file.name}.gz").write_bytes(packed)
