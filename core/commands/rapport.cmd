@echo off
rem `rapport` from whatever folder: this file as .venv\Scripts\rapport.cmd, put there by run.bat.
setlocal
set "ROOT=%~dp0..\.."
if not exist "%~dp0python.exe" goto missing
if not exist "%ROOT%\core\cli.py" goto missing
set "PYTHONPATH=%ROOT%;%PYTHONPATH%"
"%~dp0python.exe" -P -m core.cli %*
exit /b %errorlevel%
:missing
echo Rapport is not set up in %ROOT%. Run run.bat in the folder of the workbench once, then try again. 1>&2
exit /b 2
