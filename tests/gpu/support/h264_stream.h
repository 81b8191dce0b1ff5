// SPDX-License-Identifier: LGPL-2.1-or-later
// Eight frames of H.264, 176x144, as base64 of byte streams: progressive ones, and of two fields,
// the top one first. Made by
//   ffmpeg -f lavfi -i testsrc2=size=176x144:rate=25 -frames:v 8 -pix_fmt yuv420p -c:v libx264
//     -profile:v main -preset veryslow -crf 42 -bsf:v filter_units=remove_types=6 -f h264 out.h264
// and the same with rate=50, -vf interlace=scan=tff:lowpass=off, -flags +ilme+ildct and
// -x264-params tff=1.
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
constexpr const char *kInterlacedH264Stream =
    "AAAAAWdNQBW5AiFlflwEQAAAAwBAAAAMh8UKYRgAAAABaPhCgQSyAAABZYiAgECvLFqUkM06C2FbBgvphHEsOKSkUvVz9j"
    "UnFSCl5GXtl2Tz35xR9KOyTeuPBQYZGiUuNCxOfdRrrGgMzHkXb3NOjLxQx6NN+bIA/1///i0ns9/7OL0PR1EfcDq8vhpL"
    "weAvo7RE7u6C6mSsmPU82fPporLjDvXzv+msT91qgmsZ0vuJNa+ArUOZAR+9ChHCTjINS5tIX8EqObJ2h7DdNI8th0nL33"
    "b7jFv5mvhqOuda9jM5EtQgu0oGXR42EWpygrtOQ7djyLyJXdaBC2ynnkkfRvd3M6H6XQ8Y62Yjig8xCXqsqO+i61cPhLIS"
    "imoMtWslUMk5H6AMHYx24MSl9qDHXjRi/MaFQq264YwsRbsTs0bBjPxKMQ6HnRKWTsGIZV76f+9IEtDWqsgg39G18BFvbh"
    "aAP4J1z9JTHhCurc5Af+1Bik+QTRWcTAixGgCdgjBWlVYSSgPBPmANkmRoOoaMgTLYcvZPTLsEjEwozzNCiY0cVHfMYgbq"
    "gC0NEPlXkmK1Xh3paBTLhKqQnNW8UyolmeWEhNYAmslTmaUqrt19bxY1Sm/qV+38WBtSUidv+gLMXJwAz/+HSXKwn0/Gc/"
    "GE0IlGdifJQ7O8F7CCk9SJZZHScjQ6RlnyB72fWwg3/0wRGoWsTPQF0eskRGoV2Mp67JLp/jjLUarqebOf9SJ2glLgeK7E"
    "qPN2HVJPjfBuzIzRSH1j0DRSpEHaf8f47GgKczlh6wNlL7NiC+1EGzveTNFs891jNDIEBdzwHc1auaSp5JGJjhS9q7H/Pt"
    "Td3nzPN4oYKxpuzRw5jKB3r9iUbN5Nt6tGHgxfpnHzvzxZKJuv6ypBQB7n3MsvxrS/xl7m5AmK0n0v0lZeOPpjA1GM3PbN"
    "GrB0DdogtJOf4H02RPwQJcWrVqUlx/WcTSmKYekwXCxz1Yi/mf2/F/tYeQBZBfFlWJszLvDcauTbWQZFoiRL3jg0WOc9//"
    "CHz5RovmjCI2wmWv4PzK4LaEZxPeZJdO6GqQVlWCBXJ34MW0RTeF51I1YdGulwzy4sooMjzOfs/mSolLl38a+xfohc/3kI"
    "g3qBkrKgQkkX32dcQCHUsUdpQpiy8Fay3aC9B1c2e+HT9L282o7hujPcHGl7DmFfvcZj6b/herr0WOZJthJfIenWrzHLS1"
    "iNAAAAAUGaCDLIz/C/REmp4eZPp3Tm4ZIYlDdF5SBx6qwmBsusVDi7uFpT9O6nSqwQaD5X5QjITk/nJNPXXl5X9psDwnc4"
    "hvrdaBlTMTk1/VXuF4WpVW72dTkNF7za/yiw+khk0D2FNmxeYPiLd2b/AYVh+rnU7BSOwNy/VI5cPspexktapamvds8W2B"
    "ZXodBa2dqCZ9DwrlFELa8R3cLAQ5VlFQD/7HdQR9+z9U+xPz9cezgdg2AnE9DmuXoqHflNNUcGIrFqGjYVBnS9TBqEKYSu"
    "GqsPp9dSU0Dpj4DjeZ17mdNk4Z51kQ/5wBHddZNFNG0PQU+qPlE1TqWj0AS7Vyx4jH6Iw+jrRj5AAAAAAUGeEBJxCX/5zw"
    "TI083571HWcow6rJ49JOikdyhE1hn2yUKARQ7k2+n2QLOlqgHiwJCZZFXvydwXQYwL4dJ0ntwyfYtNcZLnt/v7EjCYWM3k"
    "ABz2KJ/fs0FaQTxr7xWQZUItxUxBAAAAAQGeGCLUhL+ygsZylgvWMCwANM7jvOPaCCB9WGXaX17QgZ7GvDeV/vhzS46BBF"
    "VyVvQA4AAAAAFBmhhyvS0RCX/m8fpLif1KXxmChEAHUcf+bcr/263EuhV5jAM16mSUBLOQEI6i7imjSiXAHd+03EAYGjFj"
    "6qKhVVBIwt/yjAGcVr3cXP7jtvTJyg2XbLnxiLAR1P/E9rls9W1cT5vJCLwbOq87mY9MX8k19zUaGRpivHpiVlVjoKqh+R"
    "qaAtQEM1L2AknF6668GV0F8JeFRicXkn3gim2djeD6aPDMFt/5OelhXQ4UTBkdZ8ye5ff9t0VlraeS7/BCaND98f5OsiJ+"
    "ovxqc2SqAYhHj0f1fS+YhatqTm2Hbk3+yzzaRUK7XcR6tT4NC2nVujlcb/7HzcASt/iLBssYXHEriuRB762Q0JeHKcDT8L"
    "EHTfF7TgCLNKXQ6xbpoxJBFD/7TxtchKzDfEDBrGa/2BwA0uF4sLY6DWc2nuYwsilwgkNkLxGBAAAAAUGeIFJcQl/c6sm6"
    "IMlmevgJ98RBvsr7ym/CRRKZHL/sM9QODosAGcns7xVMTejMAIyXnXEQSPqGp5NyB/nco1I1DDuomxvSmlHiTVwSqgQ6eW"
    "1YLbcRIlPWHgwYbNkLDtcG1d2cW//5f0aksSkL3XbaFtHITMxuFkjYXLoKvMQu8vS6eoZXVZ8g8Adx8VQBE8OVAAAAAQGe"
    "KEJaIS/efElfMvIT1iP6GRDGUQaGWtyEy9rYx3fuE6Zo+Amlmiann5fGEG2Gv7IN50Fb286YnqAHiJeR/X9BqoIecX/CjX"
    "RKS8D+nxeCDeYo5XEAAAABAZ4oYskhL9zmnZ/sAZIcRn5AgZRSrya8GsPYAGWj0bOHyYNVVXKfdYcs3HuYIdcZeEb6nm9H"
    "sRI2eHTK+0AE3TLYpL9Ctd31Z4BNDbWPw87LXtdneMubX37KeLtT0jW7/OxIW2YDswDqGfsVfgpW4jtmuHNW0//tv/6fWS"
    "QyRp2FQQAhn+QGoetZmft/JHYkPcPEn485X4hw8q2dw32B";
