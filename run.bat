@echo off
rem Sets everything up and opens Rapport. "run.bat test" sets everything up and runs the tests.
setlocal
cd /d "%~dp0"
set PY=
for %%p in ("py -3.13" "py -3.12" "py -3.11" "python") do (
  if not defined PY (%%~p -c "import sys; sys.exit(sys.version_info < (3, 11))" >nul 2>nul && set PY=%%~p)
)
if not defined PY (
  echo Rapport needs Python 3.11 or newer, and none was found. Install it from python.org, then run this again.
  exit /b 2
)
set LOCK=requirements.lock
set WANT=app
if "%1"=="test" (
  set LOCK=requirements-test.lock
  set WANT=test
)
set STAMP=.venv\installed-%WANT%
fc /b %LOCK% %STAMP% >nul 2>nul && goto ready
set UV=uv
where uv >nul 2>nul && goto install
set UV=.uv\Scripts\uv.exe
if exist %UV% goto install
echo Fetching uv, the installer (once) ...
%PY% -m venv .uv || exit /b 2
.uv\Scripts\python -m pip install --quiet --disable-pip-version-check uv || (
  echo uv could not be fetched. Check the network connection, then run this again.
  exit /b 2
)
:install
echo Installing what Rapport needs into .venv (once) ...
if not exist .venv\Scripts\python.exe (
  for /f "delims=" %%x in ('%PY% -c "import sys; print(sys.executable)"') do %UV% venv --quiet --python "%%x" .venv || exit /b 2
)
%UV% pip install --quiet --python .venv\Scripts\python.exe --require-hashes -r %LOCK% || (
  echo The installation broke off. Check the network connection and run this again; it goes on where it stopped.
  exit /b 2
)
copy /y %LOCK% %STAMP% >nul
:ready
fc /b core\commands\rapport.cmd .venv\Scripts\rapport.cmd >nul 2>nul || copy /y core\commands\rapport.cmd .venv\Scripts\rapport.cmd >nul
if "%1"=="test" (
  .venv\Scripts\python -m tests
) else if "%1"=="" (
  .venv\Scripts\python -m core.cli open
) else (
  .venv\Scripts\python -m core.cli %*
)
