"""The transcript of a game (the `.hoity` file): its format, its writer and its verifier."""

from .branches import first_lost as first_lost
from .result_certificate import MAX_CERTIFICATE as MAX_CERTIFICATE
from .result_certificate import Certificate as Certificate
from .result_certificate import certify as certify
from .result_certificate import check_certificate as check_certificate
from .transcript_format import MAX_FILE as MAX_FILE
from .transcript_format import File as File
from .transcript_format import OpenedFile as OpenedFile
from .transcript_format import Transcript as Transcript
from .transcript_format import opened as opened
from .transcript_writer import TooLarge as TooLarge
from .verification_report import FILE_FAULTS as FILE_FAULTS
from .verification_report import Problem as Problem
from .verification_report import Report as Report
from .verifier import header_of as header_of
from .verifier import reached as reached
from .verifier import steps_to as steps_to
from .verifier import verify as verify
