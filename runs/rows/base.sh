#!/usr/bin/env bash
# Row "base" of docs/training.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
tested base "$BASE"
