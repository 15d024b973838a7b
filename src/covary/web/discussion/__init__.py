"""The guideline cycle in the browser: rate alone, discuss, agree, write it down."""
