// SPDX-License-Identifier: LGPL-2.1-or-later
// Eight frames of H.264, 176x144, as base64 of a byte stream. Made by
//   ffmpeg -f lavfi -i testsrc2=size=176x144:rate=25 -frames:v 8 -pix_fmt yuv420p -c:v libx264
//     -profile:v main -preset veryslow -crf 42 -bsf:v filter_units=remove_types=6 -f h264 out.h264
#pragma once

constexpr int kH264Frames = 8;
constexpr const char *kH264Stream =
    "AAAAAWdNQAy5AiFidgIgAAADACAAAAZB4oUwjAAAAAFo6EOBBLIAAAFliIEACv8tWpSQzToLYVsGC+mEcSw4pKRS9XP2"
    "NScVIKXkZe2XZK0grTUM58Ya7dC4R+xUWjI+b5gH//key7TDvMmx33e28ACA7rBAGn/cq/Z8mkr0jOwwL0p7A/8+pdvS"
    "W4mUMOmY2j3r9VaAce7lVCyLbK+h0ExFfFg7mpyCouRfEZIavr/E3Mk3Imzo5RZA+tg04xO299v8FLVWV0Trpd4ItLsP"
    "+ObRd4eIiokaZ99zc1ak4BUC1fYKnm/iPCRcXx5ti2VuhQkzGJAf0MMXJLF10gD7AMMjXBBP7R7129+JHx2q5YZLEhIX"
    "POO4E4AXMwlZCdCVDMoJhtOM4tQ3gNinqNqlHhqbjZaoqGVIMtbdjteF6r3+i6FFNxP+ygV1zCRSLNbuej/ITvFig+fd"
    "u13krqTKqH2vkUdf5szY1pQFFk2cKyDsY5OCI7hA2wmfPfW9IpehXXVJZfGkmAhXVyMTGIycZyENP+pmvhWUTLzrnnbT"
    "LmXqr8AGxlAPrTpU6EsB/H11agWTYDtqXyeMOFJNmev6AKbZVa4Hc0P7GMxF4B4HoFu+xUlPobmejWLGqBCkM8ODNLG2"
    "thHXPbW++TRBf2zNJycw7PkQ0YkWSCGEnYqgF9QMKk4u85qpeHM8i4tmqI/tOGiQB4WDQhYqG7uharm60v+j2O9AeFNV"
    "NawyumXnPIMKP6rJ/L+Z0IpRiLcN8vk2WsoyBj911B0gFj1l6XHKluvjj014yJ5aijUfArdvWn+6BrAoYsTS1wXDOORb"
    "8grUy8LsRdmKT67OmffdTkEBJ13KIrj6OHlXPkKou4OOG9r3P4/l44uXa1VNlaiUQWkLJoI79U4lo34EzXdcoL1eggHP"
    "NSgGHJG3M79ijeNvnPehJdw3bhKnZ99Hj7vnZSUmIz7dibs2LmikoBjGkORIgtsHv3lrOjyQ+7tYkUCXyjCUnDnfejf6"
    "RPjUbpCEeIy6xAXQv+cNEfeVL5kC2JzGb0wc9xlwsg8iN9zF16EfuA+GCY3QVb4G0Cm61RZE7jVlLg+C5K/o9KCZLBK/"
    "D9aH/Lx6XX6XPzakYNv+1wOfczUYZWynv7K0Oy5iWhSoGFDKdnYK0QAAAAFBmghtiM/xhv0EV9cNro3q1ueWv5U/oywz"
    "9DPGVg9Wrq5aLSp0F1IZC8nx6M34Os1yBAcFYSQGNlUL9Yt5iM6e49fbPJ+VqIUHcMsEUrUSeXknMeg7ZHSJPfYPr5Ri"
    "nMMzX5aaF+CNc3JHSv7cAj7CxRXshSxw5fACiUEq1rrzsVO1ztWBamwaHVNvr0yD4ZQ3wBvsIpn2OjnrqQylWEf/xZOF"
    "4rGBN8pQXxZ09FD1j2bwoLHGaMF7Sf8Qm151z9U0R19CWYd2iN+w4wTfxfSxH5P3d0EAkRcZ2F0g0IM4sQZ/dyn7TDuF"
    "ddwPLYjhJDnVAAAAAUGeECcQl/oMcN6fL9JOTK9qfuBHwvczR865fVOacUTv87dLiFNEHqdYT4pdlOvSP5DVzMjBBc9s"
    "iZR+4zJxSzUOu0rDu3u5cMxSUOWTDGPhds4D9K/KuXlM9AdpWg1qpp9ELq1WFLqByJQ0y7dH7rw+BUFnQFbfl2d6AlUA"
    "AAABAZ4YTUhL/6NjjCsocqGw+n0AIwJxtwptqW/NH0kWgPCIxwAAAAFBmhjpNQIC0TKYEJeww/29ioPKGtxVvqnuZgSo"
    "pofpOQtkQpz0aWQAt1lG89O8p/2Tf711O+q3BeNVmu3x3OseCzt1HFL8XmTaJymXQw+nsDn7r4JicVFW+sHAc/otT+ow"
    "YmJeu0H+SE/Ec/RhFJtXD4k5enSohB6NVgD2k/Na2MweWBUzMJocKw8xs6SHER9umSaGgowVduv/bi+eCDKEI4XjdnsH"
    "2G+Iq/l88eVX/BXLLo26eYhNYS7IDAGyXVBLM9Ery8pCev1099/cDDEyShUXygcn8dKD/wxp+bXPtF4a3fu9lG4C7Q+Y"
    "vlBRuNMQxDTEvlREuldu7T0qTBYDjeUAAAABQZ4gpcQl/9Pl8M4r8uwmJ/L5On0fug/POdNO53FB5KOw8+H2S8+dSEev"
    "lj+hSteHKNvcI0qQC8zD9qcu64FpXdbDFTGjG3T3YNFLMTsDdTkqNUSq/RMXU/ieYFpis2qwtcGQ+FeLx/n0FiZ7xgNG"
    "PhLHAAAAAQGeKIWiEv/VpRshW9BICy2zS0vmmdvYRlZv6/iINFCwPdLK5gAR/U2ykwbJPoAfdCp9rnwvKOw4WLheRx17"
    "gObR6y0xGqxvIR0AAAABAZ4ozJIS/9wo5QsxU/YpAS2JlVo96aczdx1zlh6jGTMF6lTw/EEPLkMAVvgyqwSqR/s=";
