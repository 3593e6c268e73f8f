"""Every way text can take out of the workbench, and every state in which it may not: tables for one test."""
